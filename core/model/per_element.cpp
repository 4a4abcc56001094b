#include "core/model/per_element.hpp"

#include "core/model/parameter_table.hpp"
#include "core/params/passive_visitor.hpp"

#include <algorithm>

namespace resilin {
namespace {

void spread_one(Field& field, Index elements) {
  if (field.items != 1 || elements <= 1) return;  // a selection of nothing is an error of its own
  VecX values(field.components * field.steps * elements);
  for (Index step = 0; step < field.steps; ++step)
    values.segment(step * elements * field.components, elements * field.components) =
        field.values.segment(step * field.components, field.components).replicate(elements, 1);
  field.values = std::move(values);
  field.items = elements;
}

class Spreader final : public PassiveVisitor {
 public:
  Spreader(std::string prefix, const std::vector<std::string>& patterns, Index elements,
           const BuildContext& context)
      : prefix_(std::move(prefix)), patterns_(patterns), elements_(elements), context_(context) {}
  std::vector<std::string> found;

  void field(const char* name, Field& value, const Spec& spec) override {
    const std::string key = scope_ + name, path = prefix_ + "." + key;
    const bool wanted = std::any_of(patterns_.begin(), patterns_.end(),
                                    [&](const std::string& pattern) { return matches_path(pattern, path); });
    if (!spec.differentiable || !wanted) return;
    if (!value.regions.empty())
      throw context_.input_error(
          key, "is given per region, but the task asks for one value per element: give it as one value");
    if (!value.drives.empty())
      throw context_.input_error(key, "follows a signal, whose parameters are what a task can find");
    spread_one(value, elements_);
    found.push_back(path);
  }

 private:
  void enter(const char* name) override { scope_ += std::string(name) + "."; }
  void leave() override {
    const std::size_t end = scope_.size() < 2 ? std::string::npos : scope_.rfind('.', scope_.size() - 2);
    scope_.erase(end == std::string::npos ? 0 : end + 1);
  }

  std::string prefix_, scope_;
  const std::vector<std::string>& patterns_;
  Index elements_;
  const BuildContext& context_;
};

}  // namespace

Index spread_over_elements(const std::string& prefix, ParamVisitor::Body visit,
                           const std::vector<std::string>& patterns, Index elements,
                           const BuildContext& context, std::vector<std::string>& spread) {
  Spreader spreader(prefix, patterns, elements, context);
  visit(spreader);
  spread.insert(spread.end(), spreader.found.begin(), spreader.found.end());
  return static_cast<Index>(spreader.found.size());
}

}  // namespace resilin

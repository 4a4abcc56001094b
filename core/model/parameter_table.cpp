#include "core/model/parameter_table.hpp"

#include "core/base/error.hpp"
#include "core/params/passive_visitor.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

class Collector final : public PassiveVisitor {
 public:
  Collector(std::string prefix, std::vector<ParameterEntry>& out, std::vector<ParameterEntry>& regions,
            std::vector<DrivenField>& driven, Index& size)
      : prefix_(std::move(prefix)), out_(out), regions_(regions), driven_(driven), size_(size) {}
  void real(const char* name, double& value, const Spec& spec) override { add(name, &value, 1, spec); }
  void vec3(const char* name, Vec3& value, const Spec& spec) override { add(name, value.data(), 3, spec); }
  void field(const char* name, Field& value, const Spec& spec) override {
    add(name, value.values.data(), value.size(), spec);
    if (!spec.differentiable) return;
    if (!value.drives.empty()) {
      driven_.push_back({out_.back(), &value});
      out_.pop_back();
      return;
    }
    if (value.steps != 1) return;
    for (std::size_t i = 0; i < value.regions.size(); ++i) {
      ParameterEntry part = out_.back();
      const Index first = static_cast<Index>(i) * value.components;
      part.path += "[" + value.regions[i] + "]";
      part.offset += first;
      part.size = value.components;
      part.values += first;
      regions_.push_back(part);
    }
  }

 private:
  void enter(const char* name) override { scope_.push_back(name); }
  void leave() override { scope_.pop_back(); }
  void add(const char* name, double* values, Index count, const Spec& spec) {
    if (!spec.differentiable) return;
    std::string path = prefix_;
    for (const std::string& s : scope_) path += (path.empty() ? "" : ".") + s;
    path += (path.empty() ? "" : ".") + std::string(name);
    out_.push_back({path, size_, count, values, spec.min, spec.max, spec.open, spec.unit});
    size_ += count;
  }

  std::string prefix_;
  std::vector<std::string> scope_;
  std::vector<ParameterEntry>&out_, &regions_;
  std::vector<DrivenField>& driven_;
  Index& size_;
};

}  // namespace

bool matches_path(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] == '*') {
    const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
    return end > 0 && matches_path(pattern.substr(1), path.substr(end));
  }
  return !path.empty() && pattern[0] == path[0] && matches_path(pattern.substr(1), path.substr(1));
}

Index ParameterTable::add(const std::string& prefix, ParamVisitor::Body visit) {
  const Index before = size_;
  Collector collector(prefix, entries_, regions_, driven_, size_);
  visit(collector);
  return size_ - before;
}

std::vector<const ParameterEntry*> ParameterTable::find(const std::string& pattern) const {
  std::vector<const ParameterEntry*> found;
  std::vector<std::string> known;
  for (const ParameterEntry& e : entries_) {
    known.push_back(e.path);
    if (matches_path(pattern, e.path)) found.push_back(&e);
  }
  for (const ParameterEntry& e : regions_) {
    known.push_back(e.path);
    if (matches_path(pattern, e.path)) found.push_back(&e);
  }
  if (found.empty())
    throw Error(Errc::Input,
                fmt::format("no differentiable parameter '{}'{}", pattern, suggest(pattern, known)));
  return found;
}

VecX ParameterTable::values() const {
  VecX theta(size_);
  for (const ParameterEntry& e : entries_)
    theta.segment(e.offset, e.size) = Eigen::Map<const VecX>(e.values, e.size);
  for (const auto& [e, field] : driven_) theta.segment(e.offset, e.size) = field->values;
  return theta;
}

void ParameterTable::assign(ConstVec theta) const {
  if (theta.size() != size_)
    throw Error(Errc::Internal, fmt::format("{} parameter values given, {} expected", theta.size(), size_));
  for (const ParameterEntry& e : entries_)
    for (Index i = 0; i < e.size; ++i) {
      const double v = theta[e.offset + i];
      const bool inside = e.open ? v > e.min && v < e.max : v >= e.min && v <= e.max;
      if (!std::isfinite(v) || !inside)
        throw Error(Errc::Input, fmt::format("parameter {} = {} {} is outside {}{}, {}{}", e.path, v, e.unit,
                                             e.open ? "(" : "[", e.min, e.max, e.open ? ")" : "]"));
    }
  for (const ParameterEntry& e : entries_) std::copy_n(theta.data() + e.offset, e.size, e.values);
}

}  // namespace resilin

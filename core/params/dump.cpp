#include "core/params/io.hpp"
#include "core/params/text.hpp"
#include "core/params/yaml.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {
namespace {

using detail::yaml_text;

/// "[a, b, c]", broken into lines of a readable width.
std::string flow_list(const std::vector<std::string>& parts) {
  constexpr std::size_t kWidth = 100;
  std::string out = "[";
  std::size_t line = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += ",";
    if (i > 0 && line + parts[i].size() > kWidth) {
      out += "\n  ";
      line = 2;
    } else if (i > 0) {
      out += " ";
    }
    out += parts[i];
    line += parts[i].size() + 2;
  }
  return out + "]";
}

/// The value of an assignment, which is YAML by itself.
TreeNode assigned_value(const std::string& key, const std::string& text) {
  Diagnostics diagnostics;
  std::size_t budget = detail::kMaxNodes;
  TreeNode node = detail::parse_yaml(text, key, detail::Lines::Unknown, budget, diagnostics);
  diagnostics.throw_if_any();
  return node;
}

/// Writes one map at the left margin; nested ones are written the same way and moved to the right.
class Dumper final : public ParamVisitor {
 public:
  std::string take() { return std::move(out_); }

  void real(const char* name, double& value, const Spec&) override {
    // No file can say infinity: it is a default that means "no limit", which an absent key gives back.
    if (std::isfinite(value)) line(name, detail::number_text(value));
  }
  void integer(const char* name, Index& value, const Spec&) override { line(name, std::to_string(value)); }
  void flag(const char* name, bool& value, const Spec&) override { line(name, value ? "true" : "false"); }
  void text(const char* name, std::string& value, const Spec&) override { line(name, yaml_text(value)); }
  void path(const char* name, std::string& value, const Spec&) override { line(name, yaml_text(value)); }
  void vec3(const char* name, Vec3& value, const Spec&) override {
    if (value.allFinite()) line(name, flow_list(numbers_of(name, value)));
  }
  void choice(const char* name, std::string& value, std::initializer_list<const char*>,
              const Spec&) override {
    line(name, yaml_text(value));
  }
  void numbers(const char* name, VecX& value, const Spec&) override {
    line(name, flow_list(numbers_of(name, value)));
  }
  void integers(const char* name, std::vector<Index>& value, const Spec&) override {
    std::vector<std::string> parts;
    for (const Index i : value) parts.push_back(std::to_string(i));
    line(name, flow_list(parts));
  }
  void texts(const char* name, std::vector<std::string>& value, const Spec&) override {
    std::vector<std::string> parts;
    for (const std::string& text : value) parts.push_back(yaml_text(text));
    line(name, flow_list(parts));
  }
  void choices(const char* name, std::vector<std::string>& value, std::initializer_list<const char*>,
               const Spec& spec) override {
    texts(name, value, spec);
  }
  void field(const char* name, Field& value, const Spec&) override;

  void section(const char* name, Body body, const Spec&) override { block(name, map_text(body)); }
  void optional_section(const char* name, bool& present, Body body, const Spec&) override {
    if (present) block(name, map_text(body));
  }
  void component(const char* name, const char*, ComponentSpec& value, const Spec&) override {
    if (!value.type.empty()) block(name, component_text(value));
  }
  void components(const char* name, const char*, std::vector<ComponentSpec>& value, const Spec&) override {
    std::vector<std::string> items;
    for (ComponentSpec& component : value) items.push_back(component_text(component));
    list(name, items);
  }
  void component_map(const char* name, const char*, NamedList<ComponentSpec>& value, const Spec&) override {
    Dumper inner;
    for (auto& [key, component] : value) inner.block(key, component_text(component));
    block(name, inner.take());
  }
  void sequence(const char* name, SequenceAccess& value, const Spec&) override {
    std::vector<std::string> items;
    for (Index i = 0; i < value.size(); ++i) {
      items.push_back(map_text([&](ParamVisitor& v) { value.visit(i, v); }));
    }
    list(name, items);
  }
  void named(const char* name, SequenceAccess& value, const Spec&) override {
    Dumper inner;
    for (Index i = 0; i < value.size(); ++i) {
      inner.block(value.key(i), map_text([&](ParamVisitor& v) { value.visit(i, v); }));
    }
    block(name, inner.take());
  }
  void assignments(const char* name, NamedList<std::string>& value, const Spec&) override;
  void check(bool, const char*) override {}

 private:
  static std::string map_text(Body body) {
    Dumper inner;
    body(inner);
    return inner.take();
  }
  static std::string component_text(ComponentSpec& component) {
    Dumper inner;
    inner.line("type", yaml_text(component.type));
    if (component.options) component.options->visit(inner);
    return inner.take();
  }

  void regional_field(const char* name, const Field& value);
  void driven_field(const char* name, const Field& value);
  void line(std::string_view key, const std::string& value) {
    out_ += fmt::format("{}: {}\n", yaml_text(key), value);
  }
  void block(std::string_view key, const std::string& map) {
    if (map.empty()) return line(key, "{}");
    out_ += yaml_text(key) + ":\n" + indented(map, "  ");
  }
  void list(std::string_view key, const std::vector<std::string>& items) {
    if (items.empty()) return line(key, "[]");
    out_ += yaml_text(key) + ":\n";
    for (const std::string& item : items) out_ += item.empty() ? "  - {}\n" : indented(item, "  - ");
  }
  /// `map` to the right by the width of `first`, which stands before its first line.
  static std::string indented(std::string_view map, std::string_view first) {
    map.remove_suffix(1);  // the line end, behind which no blanks may come
    return std::string(first) + detail::indent(map, static_cast<int>(first.size())) + "\n";
  }

  static std::vector<std::string> numbers_of(const char* name, const Eigen::Ref<const VecX>& values) {
    std::vector<std::string> parts;
    parts.reserve(static_cast<std::size_t>(values.size()));
    for (const double value : values) {
      if (!std::isfinite(value)) {
        throw Error(Errc::Numerics, fmt::format("'{}' holds {}, which a file cannot say", name, value));
      }
      parts.push_back(detail::number_text(value));
    }
    return parts;
  }

  std::string out_;
};

void Dumper::field(const char* name, Field& value, const Spec&) {
  if (value.values.size() == 0) return;  // not set: an absent key gives that back
  if (!value.regions.empty()) return regional_field(name, value);
  if (!value.drives.empty()) return driven_field(name, value);
  const auto count = [](Index n) { return static_cast<std::size_t>(n); };
  const std::vector<std::string> numbers = numbers_of(name, value.values);
  std::vector<std::string> steps;
  for (std::size_t step = 0; step < count(value.steps); ++step) {
    std::vector<std::string> items;
    for (std::size_t item = 0; item < count(value.items); ++item) {
      const auto first = numbers.begin() + static_cast<std::ptrdiff_t>((step * count(value.items) + item) *
                                                                       count(value.components));
      items.push_back(value.components == 1 ? *first : flow_list({first, first + value.components}));
    }
    steps.push_back(items.size() == 1 ? items[0] : flow_list(items));
  }
  if (steps.size() == 1) return line(name, steps[0]);
  Dumper inner;
  inner.line("steps", flow_list(steps));
  block(name, inner.take());
}

void Dumper::regional_field(const char* name, const Field& value) {
  Dumper all, inner;
  for (Index i = 0; i < value.items; ++i) {
    const std::string& region = value.regions[static_cast<std::size_t>(i)];
    Field part = value;
    part.regions.clear();
    part.drives.clear();
    if (!value.drives.empty() && !value.drives[static_cast<std::size_t>(i)].signal.empty())
      part.drives.push_back(value.drives[static_cast<std::size_t>(i)]);
    part.items = 1;
    part.values.resize(value.steps * value.components);
    for (Index step = 0; step < value.steps; ++step)
      for (Index c = 0; c < value.components; ++c)
        part.values[step * value.components + c] = value.at(i, step, c);
    (region == Field::kRestOfBody ? all : inner).field(region.c_str(), part, {});
  }
  const std::string rest = all.take();
  all.block("regions", inner.take());
  block(name, all.take() + rest);
}

void Dumper::driven_field(const char* name, const Field& value) {
  Dumper inner;
  const FieldDrive& drive = value.drives.front();
  inner.line("signal", yaml_text(drive.signal));
  for (const auto& [key, factor] : {std::pair{"scale", &drive.scale}, {"offset", &drive.offset}}) {
    const std::vector<std::string> numbers = numbers_of(key, factor->head(value.components));
    inner.line(key, value.components == 1 ? numbers[0] : flow_list(numbers));
  }
  block(name, inner.take());
}

void Dumper::assignments(const char* name, NamedList<std::string>& value, const Spec&) {
  Dumper inner;
  for (const auto& [key, text] : value) {
    // Through the parser, so that a value of several lines comes out as one that stays one value.
    inner.line(key, detail::flow_text(assigned_value(key, text)));
  }
  block(name, inner.take());
}

}  // namespace

std::string dump_yaml(ParamVisitor::Body visit) {
  Dumper dumper;
  visit(dumper);
  const std::string text = dumper.take();
  return text.empty() ? "{}\n" : text;
}

}  // namespace resilin

#include "core/params/io.hpp"
#include "core/params/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace resilin {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string{} : fmt::format("`{}`", text);
}

std::string one_of(std::initializer_list<const char*> options) {
  std::vector<std::string> words;
  for (const char* option : options) words.push_back(code(option));
  return detail::join(words);
}

/// Short lists as they are, long ones by their size.
template <class List, class Text>
std::string list_text(const List& list, Text text) {
  constexpr std::size_t kLongest = 6;
  const auto size = static_cast<std::size_t>(list.size());
  if (size > kLongest) return fmt::format("{} values", size);
  std::vector<std::string> parts;
  for (const auto& entry : list) parts.push_back(text(entry));
  return code("[" + detail::join(parts) + "]");
}

/// One row per parameter; nested maps put their name before those of their parameters.
class Describer final : public ParamVisitor {
 public:
  std::string take() { return std::move(out_); }

  void real(const char* name, double& value, const Spec& spec) override {
    row(name, "number", spec, std::isfinite(value) ? code(detail::number_text(value)) : "none");
  }
  void integer(const char* name, Index& value, const Spec& spec) override {
    row(name, "integer", spec, code(std::to_string(value)));
  }
  void flag(const char* name, bool& value, const Spec& spec) override {
    row(name, "`true`, `false`", spec, code(value ? "true" : "false"));
  }
  void text(const char* name, std::string& value, const Spec& spec) override {
    row(name, "text", spec, code(value));
  }
  void path(const char* name, std::string& value, const Spec& spec) override {
    row(name, "file", spec, code(value));
  }
  void vec3(const char* name, Vec3& value, const Spec& spec) override {
    row(name, "[x, y, z]", spec, list_text(value, detail::number_text));
  }
  void choice(const char* name, std::string& value, std::initializer_list<const char*> options,
              const Spec& spec) override {
    row(name, one_of(options), spec, code(value));
  }
  void numbers(const char* name, VecX& value, const Spec& spec) override {
    row(name, "number or list of numbers", spec, list_text(value, detail::number_text));
  }
  void integers(const char* name, std::vector<Index>& value, const Spec& spec) override {
    row(name, "list of integers", spec, list_text(value, [](Index i) { return std::to_string(i); }));
  }
  void texts(const char* name, std::vector<std::string>& value, const Spec& spec) override {
    row(name, "list of texts", spec, list_text(value, [](const std::string& s) { return s; }));
  }
  void choices(const char* name, std::vector<std::string>& value, std::initializer_list<const char*> options,
               const Spec& spec) override {
    row(name, "one or a list of " + one_of(options), spec,
        list_text(value, [](const std::string& s) { return s; }));
  }
  void field(const char* name, Field& value, const Spec& spec) override {
    const char* type = value.components == 1 ? "field of numbers" : "field of [x, y, z]";
    const bool single = value.size() == 1;
    row(name, type, spec, single ? code(detail::number_text(value.values[0])) : field_text(value));
  }

  void section(const char* name, Body body, const Spec& spec) override {
    row(name, "map", spec, {});
    nested(name, body);
  }
  void optional_section(const char* name, bool& present, Body body, const Spec& spec) override {
    row(name, "map", spec, present ? "present" : "absent");
    nested(name, body);
  }
  void component(const char* name, const char* kind, ComponentSpec& value, const Spec& spec) override {
    row(name, kind, spec, code(value.type));
  }
  void components(const char* name, const char* kind, std::vector<ComponentSpec>& value,
                  const Spec& spec) override {
    row(name, fmt::format("list of {}", kind), spec,
        list_text(value, [](const ComponentSpec& c) { return c.type; }));
  }
  void component_map(const char* name, const char* kind, NamedList<ComponentSpec>& value,
                     const Spec& spec) override {
    row(name, fmt::format("map of {}", kind), spec,
        value.empty() ? "`{}`" : fmt::format("{} entries", value.size()));
  }
  void sequence(const char* name, SequenceAccess& value, const Spec& spec) override {
    entries(name, "list of maps", value, spec, "`[]`");
  }
  void named(const char* name, SequenceAccess& value, const Spec& spec) override {
    entries(name, "map of maps", value, spec, "`{}`");
  }
  void assignments(const char* name, NamedList<std::string>& value, const Spec& spec) override {
    row(name, "map of path: value", spec, value.empty() ? "`{}`" : fmt::format("{} entries", value.size()));
  }
  void check(bool, const char*) override {}

 private:
  static std::string field_text(const Field& value) {
    if (value.size() == 0) return {};
    if (value.size() == value.components) return list_text(value.values, detail::number_text);
    return fmt::format("{} values", value.size());
  }

  void nested(const std::string& name, Body body) {
    const std::string outer = std::exchange(prefix_, prefix_ + name + ".");
    body(*this);
    prefix_ = outer;
  }
  void entries(const char* name, const char* type, SequenceAccess& value, const Spec& spec,
               const char* empty) {
    row(name, type, spec, value.size() == 0 ? empty : fmt::format("{} entries", value.size()));
    nested(std::string(name) + "[*]", [&](ParamVisitor& v) { value.visit_default(v); });
  }

  void row(const char* name, const std::string& type, const Spec& spec, const std::string& value) {
    const std::string alias = *spec.alias == '\0' ? "" : fmt::format(" (`{}`)", spec.alias);
    out_ += fmt::format("| `{}{}`{} | {} | {} | {} | {} | {}{} |\n", prefix_, name, alias, cell(type),
                        cell(spec.unit), spec.required ? "required" : cell(value), detail::range_text(spec),
                        cell(spec.doc), spec.differentiable ? " (differentiable)" : "");
  }

  std::string prefix_;
  std::string out_;
};

}  // namespace

std::string describe_markdown(ParamVisitor::Body visit) {
  Describer describer;
  visit(describer);
  return "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n" + describer.take();
}

}  // namespace resilin

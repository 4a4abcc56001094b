#include "core/app/plugin_check.hpp"

#include "core/energy/material_check.hpp"
#include "core/params/passive_visitor.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::app {
namespace {

/// Looks at the facts of each parameter of a type.
class SpecReader final : public PassiveVisitor {
 public:
  std::vector<std::string> undocumented, required, out_of_range;

  void real(const char* n, double& v, const Spec& s) override { number(n, v, s); }
  void integer(const char* n, Index& v, const Spec& s) override { number(n, static_cast<double>(v), s); }
  void flag(const char* n, bool&, const Spec& s) override { note(n, s); }
  void text(const char* n, std::string&, const Spec& s) override { note(n, s); }
  void path(const char* n, std::string&, const Spec& s) override { note(n, s); }
  void vec3(const char* n, Vec3& v, const Spec& s) override { all_numbers(n, v, s); }
  void choice(const char* n, std::string&, std::initializer_list<const char*>, const Spec& s) override {
    note(n, s);
  }
  void numbers(const char* n, VecX& v, const Spec& s) override { all_numbers(n, v, s); }
  void integers(const char* n, std::vector<Index>&, const Spec& s) override { note(n, s); }
  void texts(const char* n, std::vector<std::string>&, const Spec& s) override { note(n, s); }
  void choices(const char* n, std::vector<std::string>&, std::initializer_list<const char*>,
               const Spec& s) override {
    note(n, s);
  }
  void field(const char* n, Field& v, const Spec& s) override { all_numbers(n, v.values, s); }
  void section(const char* n, Body body, const Spec& s) override {
    note(n, s);
    body(*this);
  }
  void optional_section(const char* n, bool&, Body, const Spec& s) override { note(n, s); }
  void component(const char* n, const char*, ComponentSpec&, const Spec& s) override { note(n, s); }
  void components(const char* n, const char*, std::vector<ComponentSpec>&, const Spec& s) override {
    note(n, s);
  }
  void component_map(const char* n, const char*, NamedList<ComponentSpec>&, const Spec& s) override {
    note(n, s);
  }
  void sequence(const char* n, SequenceAccess&, const Spec& s) override { note(n, s); }
  void named(const char* n, SequenceAccess&, const Spec& s) override { note(n, s); }
  void assignments(const char* n, NamedList<std::string>&, const Spec& s) override { note(n, s); }

 private:
  void note(const char* name, const Spec& spec) {
    if (spec.doc == nullptr || *spec.doc == '\0') undocumented.emplace_back(name);
    if (spec.required) required.emplace_back(name);
  }
  void number(const char* name, double value, const Spec& spec) {
    note(name, spec);
    check_range(name, value, spec);
  }
  void all_numbers(const char* name, const Eigen::Ref<const VecX>& values, const Spec& spec) {
    note(name, spec);
    for (const double value : values)
      if (!check_range(name, value, spec)) return;
  }
  bool check_range(const char* name, double value, const Spec& spec) {
    // Infinite defaults mean "no limit", required ones are never used.
    if (spec.required || !std::isfinite(value)) return true;
    const bool inside =
        spec.open ? value > spec.min && value < spec.max : value >= spec.min && value <= spec.max;
    if (!inside) out_of_range.emplace_back(name);
    return inside;
  }
};

PluginCheck list_check(const std::string& type, const std::string& name,
                       const std::vector<std::string>& culprits) {
  return {type, name, fmt::format("{}", fmt::join(culprits, ", ")), {}, culprits.empty()};
}

/// Defaults written as YAML and read again have to give the same YAML.
PluginCheck check_round_trip(const Registry& registry, const Registry::Entry& entry, const std::string& type,
                             const std::vector<std::string>& required) {
  PluginCheck check{type, "defaults survive writing and reading", {}, {}, false};
  try {
    const auto written = entry.make_options(), read = entry.make_options();
    const std::string text = dump_yaml([&](ParamVisitor& v) { written->visit(v); });
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        parse_tree(text, "defaults"), [&](ParamVisitor& v) { read->visit(v); }, registry, diagnostics,
        places);
    if (!diagnostics.ok() && !required.empty()) {
      check.name =
          fmt::format("defaults are incomplete by intent: {} must be given", fmt::join(required, ", "));
      check.passed = true;
      return check;
    }
    diagnostics.throw_if_any();
    check.passed = dump_yaml([&](ParamVisitor& v) { read->visit(v); }) == text;
    if (!check.passed) check.value = "the values changed";
  } catch (const Error& e) {
    check.value = e.what();
  }
  return check;
}

PluginCheck check_schema(const Registry& registry, const Registry::Entry& entry, const std::string& type) {
  PluginCheck check{type, "JSON Schema", {}, {}, false};
  try {
    const auto options = entry.make_options();
    check.value =
        fmt::format("{} bytes", json_schema([&](ParamVisitor& v) { options->visit(v); }, registry).size());
    check.passed = true;
  } catch (const Error& e) {
    check.value = e.what();
  }
  return check;
}

void check_as_material(const Registry& registry, const Registry::Entry& entry, const std::string& type,
                       std::vector<PluginCheck>& checks) {
  ComponentSpec spec;
  spec.type = entry.type;
  spec.options = entry.make_options();
  BuildContext context;
  context.registry = &registry;
  context.steps = 1;
  context.time_step = 0.01;
  try {
    const auto material = registry.make<Material>(spec, context);
    for (const CheckResult& r : check_material(*material))
      checks.push_back(
          {type, r.name, fmt::format("{:.2e}", r.value), fmt::format("{:.2e}", r.limit), r.passed});
  } catch (const Error& e) {
    checks.push_back({type, "derivatives", e.what(), {}, false});
  }
}

}  // namespace

std::vector<PluginCheck> check_plugin(const Registry& registry, const std::string& file) {
  std::vector<PluginCheck> checks;
  for (const Registry::Entry* entry : registry.entries()) {
    // "name version (file)"
    const std::string ending = "(" + file + ")";
    if (entry->library.size() < ending.size() ||
        entry->library.compare(entry->library.size() - ending.size(), ending.size(), ending) != 0)
      continue;
    const std::string type = entry->kind + " " + entry->type;
    SpecReader facts;
    entry->make_options()->visit(facts);
    checks.push_back({type, "has a summary", {}, {}, !entry->summary.empty()});
    checks.push_back(list_check(type, "every parameter is documented", facts.undocumented));
    checks.push_back(list_check(type, "defaults are in their ranges", facts.out_of_range));
    checks.push_back(check_round_trip(registry, *entry, type, facts.required));
    checks.push_back(check_schema(registry, *entry, type));
    if (entry->kind == Kind<Material>::kName) check_as_material(registry, *entry, type, checks);
  }
  return checks;
}

}  // namespace resilin::app

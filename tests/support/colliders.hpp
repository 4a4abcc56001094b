// Colliders from YAML without a scene, and every registered one placed askew.
#pragma once

#include "core/geometry/rigid_collider.hpp"
#include "core/params/io.hpp"
#include "tests/support/components.hpp"

#include <cmath>
#include <memory>
#include <string>

namespace resilin::test {

/// What a scene would give: type and keys of one collider, a duration of 1 s.
template <class Interface>
std::unique_ptr<Interface> made_from_yaml(const std::string& type, const std::string& yaml) {
  ComponentSpec spec;
  spec.type = type;
  spec.path = "thing";
  spec.options = registry().make_options(Kind<Interface>::kName, type);
  if (spec.options == nullptr) throw Error(Errc::Input, "no type " + type);
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree(yaml, "test.yaml"), [&](ParamVisitor& v) { spec.options->visit(v); }, registry(),
      diagnostics, places, "thing");
  diagnostics.throw_if_any();
  BuildContext context;
  context.registry = &registry();
  context.steps = 10;
  context.time_step = 0.1;
  context.path = "thing";
  context.places = &places;
  return registry().make<Interface>(spec, context);
}
inline std::unique_ptr<Collider> collider(const std::string& type, const std::string& yaml = "{}") {
  return made_from_yaml<Collider>(type, yaml);
}

/// A motion with all that a rigid one can have.
inline const char* tumbling() {
  return "{type: rigid_motion, velocity: [0.3, -0.2, 0.1], rotation: {axis: [1, 2, -1], point: [0.1, 0.2, "
         "0.3], "
         "rate: 0.8, times: [0, 0.4, 1], angles: [0, 0.5, -0.2], interpolation: cubic}, translation: {times: "
         "[0, 0.5, "
         "1], offsets: [[0, 0, 0], [0.1, 0.2, -0.1], [0.3, 0, 0.2]], interpolation: cubic}}";
}

/// Has any of its types a key of this name?
inline bool has_key(const std::string& type, const std::string& key) {
  FactCollector facts;
  registry().make_options("collider", type)->visit(facts);
  for (const ParameterFact& f : facts.facts)
    if (f.path == key) return true;
  return false;
}

/// What a type must be told, or would be dull without.
inline std::string sizes_of(const std::string& type) {
  std::string yaml;
  if (has_key(type, "file") && !has_key(type, "formula")) yaml += "file: " + surface_file() + "\n";
  if (has_key(type, "rounding")) yaml += "size: [1, 0.7, 1.3]\nrounding: 0.1\n";
  if (has_key(type, "thickness")) yaml += "thickness: 0.5\n";
  if (has_key(type, "formula"))  // wide enough for all closest points
    yaml +=
        "columns: 8\nrows: 7\nspacing: 1.3\nscale: 1.2\nformula: 0.25*sin(2*x+0.3)*cos(2.5*y) + 0.02*x*y\n";
  return yaml;
}

/// As sizes_of() and turned, shifted, moving; outside in where the type can be so.
inline std::string askew(const std::string& type, bool inside) {
  std::string yaml = sizes_of(type) + "position: [0.2, -0.1, 0.3]\nmotion: " + tumbling() + "\n";
  if (has_key(type, "rotation")) yaml += "rotation: [0.4, -0.7, 0.5]\n";
  for (const char* axis : {"axis", "normal"})
    if (has_key(type, axis)) yaml += std::string(axis) + ": [0.48, -0.6, 0.64]\n";
  if (inside) yaml += "inside: true\n";
  return yaml;
}

}  // namespace resilin::test

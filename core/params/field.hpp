// A parameter that may be one value or vary over items (elements, vertices) and over time steps.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <vector>

namespace resilin {

/// What one item of a field follows in time: in component c its value is offset[c] + scale[c] s(t), s the
/// signal of the scene with that name, at the start t of each time step.
struct FieldDrive {
  std::string signal;  ///< empty: the item follows none and keeps its value
  Vec3 scale = Vec3::Ones(), offset = Vec3::Zero();
};

/// values[(step * items + item) * components + component]. `items` and `steps` of 1 mean "the same for all".
/// In YAML a scalar field is
///     1e6                         one value
///     [1e6, 2e6, ...]             one value per item
///     {steps: [a, b, ...]}        one entry per time step, each a value or a list over items
///     {file: e.csv}               rows are items, columns are components
///     {file: e.csv, per: step}    rows are steps, columns are items times components (component fastest)
///     {regions: {a: .., b: ..}}   one value, {steps: ..} or {file: .., per: step} per region of the body;
///                                 with `default: ..` beside `regions` for the elements in none of them
///     {signal: gait, scale: -1, offset: 2}   follows a signal; only where differentiable, also per region
/// and a vector field (components = 3) has [x, y, z] wherever a scalar field has a number.
struct Field {
  Field() = default;
  explicit Field(double value) : values(VecX::Constant(1, value)) {}
  explicit Field(const Vec3& value) : components(3), values(value) {}

  Index components = 1;
  Index items = 1;
  Index steps = 1;
  VecX values;
  /// Names of the regions whose values the items are; empty unless given per region. The last may be
  /// kRestOfBody: the value of the elements that lie in none of the others.
  std::vector<std::string> regions;
  static constexpr const char* kRestOfBody = "default";
  /// One per item, or empty: nothing follows a signal. Where something does, the values of a field as read
  /// are zero; those of a component have one entry per time step.
  std::vector<FieldDrive> drives;

  Index size() const { return values.size(); }
  Index index(Index item, Index step, Index component = 0) const {
    return ((steps == 1 ? 0 : step) * items + (items == 1 ? 0 : item)) * components + component;
  }
  double at(Index item, Index step, Index component = 0) const {
    return values[index(item, step, component)];
  }
  Vec3 vec3(Index item, Index step) const { return values.segment<3>(index(item, step)); }
};

}  // namespace resilin

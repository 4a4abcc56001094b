#include "plugins/meshes/tube.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"
#include "plugins/meshes/ring_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::meshes {

void Tube::Options::visit(ParamVisitor& v) {
  v.real("inner_radius", inner_radius,
         {.doc = "radius of the bore, less than the outer one", .unit = "m", .min = 0, .open = true});
  v.real("outer_radius", outer_radius,
         {.doc = "radius about the z axis", .unit = "m", .min = 0, .open = true});
  v.real("height", height, {.doc = "length along z, from z = 0", .unit = "m", .min = 0, .open = true});
  v.integer("cells_radial", cells_radial, {.doc = "number of cells through the wall", .min = 1});
  v.integer("cells_around", cells_around, {.doc = "number of cells around the z axis", .min = 3});
  v.integer("cells_along", cells_along, {.doc = "number of cells along z", .min = 1});
  visit_element(v, element);
  v.check(inner_radius < outer_radius, "inner_radius must be less than outer_radius");
}

Tube::Tube(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.inner_radius < options.outer_radius))
    throw context.input_error("inner_radius", fmt::format("is {} m; expected less than outer_radius, {} m",
                                                          options.inner_radius, options.outer_radius));
}

Mesh Tube::generate() const {
  // A box: x through the wall, y around, z along.
  Mesh mesh =
      make_box({1, 1, options_.height}, {options_.cells_radial, options_.cells_around, options_.cells_along},
               element_type(options_.element));
  close_ring(mesh, options_.cells_around, options_.cells_along + 1);
  for (auto x : mesh.vertices.colwise()) {
    const double angle = 2 * std::numbers::pi * x.y();
    const double radius = options_.inner_radius * (1 - x.x()) + options_.outer_radius * x.x();
    x = Vec3(radius * std::cos(angle), radius * std::sin(angle), x.z());
  }
  return mesh;
}

}  // namespace resilin::meshes

#include "plugins/meshes/torus.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"
#include "plugins/meshes/ring_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::meshes {

void Torus::Options::visit(ParamVisitor& v) {
  v.real("major_radius", major_radius,
         {.doc = "radius of the circle that the ring runs along, about the z axis",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("minor_radius", minor_radius,
         {.doc = "radius of the ring itself, less than the major one", .unit = "m", .min = 0, .open = true});
  v.integer("cells_across", cells_across,
            {.doc = "number of cells across the ring, along both axes", .min = 1});
  v.integer("cells_around", cells_around, {.doc = "number of cells around the z axis", .min = 3});
  visit_element(v, element);
  v.check(minor_radius < major_radius, "minor_radius must be less than major_radius");
}

Torus::Torus(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.minor_radius < options.major_radius))
    throw context.input_error("minor_radius", fmt::format("is {} m; expected less than major_radius, {} m",
                                                          options.minor_radius, options.major_radius));
}

Mesh Torus::generate() const {
  // A cylinder of length 1 whose axis is bent to the circle: x becomes z, y points away from the z axis.
  Mesh mesh = make_cylinder(options_.minor_radius, 1, options_.cells_across, options_.cells_around,
                            element_type(options_.element));
  close_ring(mesh, options_.cells_around, 1);
  for (auto x : mesh.vertices.colwise()) {
    const double angle = 2 * std::numbers::pi * x.z(), radius = options_.major_radius + x.y();
    x = Vec3(radius * std::cos(angle), radius * std::sin(angle), x.x());
  }
  return mesh;
}

}  // namespace resilin::meshes

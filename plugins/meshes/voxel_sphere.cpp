#include "plugins/meshes/voxel_sphere.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::meshes {

void VoxelSphere::Options::visit(ParamVisitor& v) {
  v.real("radius", radius,
         {.doc = "radius R; the grid fills the cube from 0 to 2R, the ball is centred at (R, R, R)",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real(
      "cell", cell,
      {.doc = "edge of a cell; refused where the cubes have not about the ball's volume (mostly above half "
              "the radius)",
       .unit = "m",
       .min = 0,
       .open = true});
  visit_element(v, element);
}

Mesh VoxelSphere::generate() const {
  const double radius = options_.radius;
  const Vec3 centre = Vec3::Constant(radius);
  Mesh mesh = make_voxels(
      Vec3::Zero(), 2 * centre, options_.cell, [&](const Vec3& p) { return (p - centre).norm() - radius; },
      element_type(options_.element));
  // A few cubes may be twice the ball, or half of it: another shape than the one asked for.
  constexpr double tolerance = 0.25;
  const double ball = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  const double cubes = element_measures(mesh).sum();
  if (std::abs(cubes - ball) > tolerance * ball)
    throw Error(
        Errc::Input,
        fmt::format("cells of {} m are too coarse for a ball of radius {} m: they fill {:.4g} m^3, the "
                    "ball {:.4g} m^3; expected cells of a quarter of the diameter or less",
                    options_.cell, radius, cubes, ball));
  return mesh;
}

}  // namespace resilin::meshes

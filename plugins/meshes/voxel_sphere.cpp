#include "plugins/meshes/voxel_sphere.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

namespace resilin::meshes {

void VoxelSphere::Options::visit(ParamVisitor& v) {
  v.real("radius", radius,
         {.doc = "radius R; the grid fills the cube from 0 to 2R, the ball is centred at (R, R, R)",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("cell", cell, {.doc = "edge of a cell", .unit = "m", .min = 0, .open = true});
  visit_element(v, element);
}

Mesh VoxelSphere::generate() const {
  const double radius = options_.radius;
  const Vec3 centre = Vec3::Constant(radius);
  return make_voxels(
      Vec3::Zero(), 2 * centre, options_.cell, [&](const Vec3& p) { return (p - centre).norm() - radius; },
      element_type(options_.element));
}

}  // namespace resilin::meshes

#include "plugins/meshes/cone.hpp"

#include "plugins/meshes/loft.hpp"

namespace resilin::meshes {

void Cone::Options::visit(ParamVisitor& v) {
  v.real("top_radius", top_radius, {.doc = "radius of the waist", .unit = "m", .min = 0, .open = true});
  v.real("bottom_radius", bottom_radius, {.doc = "radius of the hem", .unit = "m", .min = 0, .open = true});
  v.real("height", height, {.doc = "from hem to waist along z", .unit = "m", .min = 0, .open = true});
  v.integer("cells_around", cells_around, {.doc = "number of cells around the z axis", .min = 3, .max = 1e6});
  v.integer("cells_along", cells_along, {.doc = "number of cells from hem to waist", .min = 1, .max = 1e6});
}

Mesh Cone::generate() const {
  std::vector<Mat3X> rings;
  for (Index j = 0; j <= options_.cells_along; ++j) {
    const double s = static_cast<double>(j) / static_cast<double>(options_.cells_along);
    rings.push_back(ring({0, 0, s * options_.height},
                         (1 - s) * options_.bottom_radius + s * options_.top_radius, Vec3::UnitX(),
                         Vec3::UnitY(), options_.cells_around));
  }
  return loft(rings);
}

}  // namespace resilin::meshes

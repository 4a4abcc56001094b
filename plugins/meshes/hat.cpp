#include "plugins/meshes/hat.hpp"

#include "plugins/meshes/loft.hpp"

#include <cmath>
#include <numbers>

namespace resilin::meshes {

void Hat::Options::visit(ParamVisitor& v) {
  v.real("radius", radius, {.doc = "radius of the crown", .unit = "m", .min = 0, .open = true});
  v.real("brim_width", brim_width,
         {.doc = "from the crown to the edge of the brim", .unit = "m", .min = 0, .open = true});
  v.real("droop", droop,
         {.doc = "angle of the brim below the horizontal", .unit = "rad", .min = -1.5, .max = 1.5});
  v.integer("cells_around", cells_around, {.doc = "number of cells around the z axis", .min = 3, .max = 1e6});
  v.integer("cells_crown", cells_crown,
            {.doc = "number of cells from the brim to the top", .min = 2, .max = 1e6});
  v.integer("cells_brim", cells_brim, {.doc = "number of cells across the brim", .min = 1, .max = 1e6});
}

/// From the edge of the brim inwards and up to the top.
Mesh Hat::generate() const {
  std::vector<Mat3X> rings;
  const auto add = [&](double radius, double height) {
    rings.push_back(ring({0, 0, height}, radius, Vec3::UnitX(), Vec3::UnitY(), options_.cells_around));
  };
  for (Index j = options_.cells_brim; j > 0; --j) {
    const double out =
        options_.brim_width * static_cast<double>(j) / static_cast<double>(options_.cells_brim);
    add(options_.radius + out * std::cos(options_.droop), -out * std::sin(options_.droop));
  }
  for (Index j = 0; j < options_.cells_crown; ++j) {
    const double angle =
        0.5 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(options_.cells_crown);
    add(options_.radius * std::cos(angle), options_.radius * std::sin(angle));
  }
  const Vec3 top(0, 0, options_.radius);
  return loft(rings, &top);
}

}  // namespace resilin::meshes

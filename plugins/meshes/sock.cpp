#include "plugins/meshes/sock.hpp"

#include "plugins/meshes/loft.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::meshes {

void Sock::Options::visit(ParamVisitor& v) {
  v.real("radius", radius, {.doc = "radius of the tube", .unit = "m", .min = 0, .open = true});
  v.real("leg", leg, {.doc = "straight length above the bend", .unit = "m", .min = 0, .open = true});
  v.real("bend", bend,
         {.doc = "radius of the bend of the middle line, more than that of the tube",
          .unit = "m",
          .min = 0,
          .open = true});
  v.real("foot", foot,
         {.doc = "straight length between the bend and the toes", .unit = "m", .min = 0, .open = true});
  v.integer("cells_around", cells_around, {.doc = "number of cells around the tube", .min = 3, .max = 1e6});
  v.integer("cells_leg", cells_leg, {.doc = "number of cells along the leg", .min = 1, .max = 1e6});
  v.integer("cells_bend", cells_bend, {.doc = "number of cells along the bend", .min = 1, .max = 1e6});
  v.integer("cells_foot", cells_foot, {.doc = "number of cells along the foot", .min = 1, .max = 1e6});
  v.integer("cells_toe", cells_toe, {.doc = "number of cells over the toes", .min = 2, .max = 1e6});
  v.check(radius < bend, "radius must be less than that of the bend");
}

Sock::Sock(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.radius < options.bend))
    throw context.input_error(
        "bend", fmt::format("is {} m; expected more than the radius, {} m", options.bend, options.radius));
}

/// From the opening down and on to the toes.
Mesh Sock::generate() const {
  std::vector<Mat3X> rings;
  const auto add = [&](const Vec3& center, const Vec3& along, double radius) {
    rings.push_back(ring(center, radius, Vec3::UnitY(), along.cross(Vec3::UnitY()), options_.cells_around));
  };
  const auto share = [](Index j, Index cells) { return static_cast<double>(j) / static_cast<double>(cells); };
  const double r = options_.radius, bend = options_.bend, quarter = 0.5 * std::numbers::pi;
  for (Index j = 0; j < options_.cells_leg; ++j)
    add({0, 0, bend + options_.leg * (1 - share(j, options_.cells_leg))}, -Vec3::UnitZ(), r);
  for (Index j = 0; j < options_.cells_bend; ++j) {
    const double angle = quarter * share(j, options_.cells_bend), c = std::cos(angle), s = std::sin(angle);
    add({bend * (1 - c), 0, bend * (1 - s)}, {s, 0, -c}, r);
  }
  for (Index j = 0; j < options_.cells_foot; ++j)
    add({bend + options_.foot * share(j, options_.cells_foot), 0, 0}, Vec3::UnitX(), r);
  const double end = bend + options_.foot;
  for (Index j = 0; j < options_.cells_toe; ++j) {
    const double angle = quarter * share(j, options_.cells_toe);
    add({end + r * std::sin(angle), 0, 0}, Vec3::UnitX(), r * std::cos(angle));
  }
  const Vec3 tip(end + r, 0, 0);
  return loft(rings, &tip);
}

}  // namespace resilin::meshes

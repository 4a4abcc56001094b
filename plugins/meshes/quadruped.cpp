#include "plugins/meshes/quadruped.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/distance.hpp"
#include "plugins/meshes/element_choice.hpp"
#include "plugins/meshes/one_piece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace resilin::meshes {
namespace {

/// The parts on the side of y >= 0 and in the middle, as capsules; the other side mirrors them.
std::vector<CapsuleShape> animal_parts(const Quadruped::Options& o) {
  const double hip = o.leg_length;  // height of the body's axis
  const double half = 0.5 * o.body_length - o.body_radius;
  const Vec3 front(half, 0, hip), back(-half, 0, hip);
  std::vector<CapsuleShape> parts = {{back, front, o.body_radius}};
  for (const double x : {-half, half})
    // A leg ends below the ground, where it is cut off flat.
    parts.push_back({{x, 0.5 * o.stance, -o.leg_radius}, {x, 0.5 * o.stance, hip}, o.leg_radius});
  const Vec3 neck = front + (o.body_radius + o.neck_length) * Vec3(0.6, 0, 0.8);
  parts.push_back({front, neck, o.neck_radius});
  parts.push_back({neck, neck + Vec3(o.head_radius, 0, 0), o.head_radius});
  const Vec3 tail = back + (o.body_radius + o.tail_length) * Vec3(-0.8, 0, 0.6);
  parts.push_back({back, tail, o.tail_radius});
  return parts;
}

}  // namespace

void Quadruped::Options::visit(ParamVisitor& v) {
  const auto length = [&](const char* name, double& value, const char* doc) {
    v.real(name, value, {.doc = doc, .unit = "m", .min = 0, .open = true});
  };
  length("body_length", body_length, "length of the body, its round ends included");
  length("body_radius", body_radius, "radius of the body");
  length("leg_length", leg_length, "height of the body's axis above the ground");
  length("leg_radius", leg_radius, "radius of a leg");
  length("stance", stance, "distance between left and right legs, from axis to axis");
  length("neck_length", neck_length, "length of the neck outside of the body");
  length("neck_radius", neck_radius, "radius of the neck");
  length("head_radius", head_radius, "radius of the head");
  length("tail_length", tail_length, "length of the tail outside of the body");
  length("tail_radius", tail_radius, "radius of the tail");
  v.real("smoothing", smoothing,
         {.doc = "how far apart two surfaces still flow together; 0: none", .unit = "m", .min = 0});
  length("cell", cell, "edge of a cell; refused where parts would fall off (mostly above their radius)");
  visit_element(v, element);
  v.check(body_length >= 2 * body_radius, "body_length must be at least twice body_radius");
  v.check(leg_length > body_radius, "leg_length must be more than body_radius");
}

Mesh Quadruped::generate() const {
  // Every point of a part's axis is then nearer than the part's radius to the centre of its own cell.
  const double thinnest = std::min({options_.body_radius, options_.leg_radius, options_.neck_radius,
                                    options_.head_radius, options_.tail_radius});
  if (options_.cell > 2 / std::sqrt(3.0) * thinnest)
    throw Error(Errc::Input,
                fmt::format("cells of {} m are too coarse for the animal, whose thinnest part has a "
                            "radius of {} m; expected cells of {:.4g} m or less",
                            options_.cell, thinnest, 2 / std::sqrt(3.0) * thinnest));
  const std::vector<CapsuleShape> parts = animal_parts(options_);
  Eigen::AlignedBox3d bounds;
  for (const CapsuleShape& part : parts)
    for (const Vec3& end : {part.from, part.to}) {
      bounds.extend(end - Vec3::Constant(part.radius + options_.smoothing));
      bounds.extend(end + Vec3::Constant(part.radius + options_.smoothing));
    }
  // Cells lie alike on both sides of y = 0, and begin on the ground.
  const double half_width = options_.cell * std::ceil(bounds.max().y() / options_.cell);
  Mesh mesh = make_voxels(
      {bounds.min().x(), -half_width, 0}, {bounds.max().x(), half_width, bounds.max().z()}, options_.cell,
      [&](const Vec3& p) {
        const Vec3 mirrored(p.x(), std::abs(p.y()), p.z());
        double d = distance(parts.front(), mirrored);
        for (std::size_t i = 1; i < parts.size(); ++i)
          d = smooth_min(d, distance(parts[i], mirrored), options_.smoothing);
        return d;
      },
      element_type(options_.element));
  require_one_piece(mesh, options_.cell, "the animal");
  return mesh;
}

}  // namespace resilin::meshes

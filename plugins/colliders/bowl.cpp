#include "plugins/colliders/bowl.hpp"

#include "plugins/colliders/arc_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace resilin {
namespace {

using colliders::Arc;
using colliders::ArcPoint;

/// In the half-plane of the axis and y: its first axis points away from the axis.
Arc middle_line(const BowlOptions& o) {
  return {o.radius + 0.5 * o.thickness, -o.angle, o.angle};
}

Vec3 outward(const Vec3& y) {
  const double r = y.head<2>().norm();
  return r > 0 ? Vec3(y.x() / r, y.y() / r, 0) : Vec3::UnitX();
}

ArcPoint arc_point(const BowlOptions& o, const Vec3& y) {
  return colliders::seen_from(middle_line(o), {y.head<2>().norm(), y.z()});
}

}  // namespace

void BowlOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.real("radius", radius,
         {.doc = "of the inner side", .unit = "m", .min = 0, .open = true, .differentiable = true});
  v.real("thickness", thickness,
         {.doc = "between inner and outer side; contact has to stop bodies within half of it",
          .unit = "m",
          .min = 0,
          .open = true,
          .differentiable = true});
  v.real("angle", angle,
         {.doc = "from the axis to the rim; half a right angle is a shallow bowl, a right angle a hemisphere",
          .unit = "rad",
          .min = 0,
          .max = std::numbers::pi,
          .open = true,
          .differentiable = true});
}

LocalPoint Bowl::local(const Vec3& y) const {
  const ArcPoint at = arc_point(options_, y);
  const double r = y.head<2>().norm();
  const Vec3 out = outward(y), around(-out.y(), out.x(), 0);
  Eigen::Matrix<double, 3, 2> plane;
  plane << out, Vec3::UnitZ();
  LocalPoint p;
  p.distance = at.distance - 0.5 * options_.thickness;
  p.normal = plane * at.gradient;
  p.feature = at.feature;
  // Turning about the axis turns the normal: by gradient_r / r, which on the sides is +-1/|y| on the axis
  // too.
  const bool rim = at.feature == colliders::kEnd;
  const double length = y.norm();
  p.regular = at.regular && (!rim || r > 0);
  if (!p.regular) return p;
  const double turn = rim ? at.gradient.x() / r : (at.feature == colliders::kInner ? -1 : 1) / length;
  p.hessian = plane * at.hessian * plane.transpose() + turn * around * around.transpose();
  return p;
}

Box3 Bowl::local_bounds() const {
  const double middle = options_.radius + 0.5 * options_.thickness, half = 0.5 * options_.thickness;
  const double wide = middle * std::sin(std::min(options_.angle, 0.5 * std::numbers::pi)) + half;
  return {Vec3(-wide, -wide, -middle - half), Vec3(wide, wide, -middle * std::cos(options_.angle) + half)};
}

void Bowl::add_size_vjp(const Vec3& y, const LocalPoint&, double zd, const Vec3& zn, MutVec dsizes) const {
  const ArcPoint at = arc_point(options_, y);
  const Vec3 z = colliders::arc_vjp(middle_line(options_), at, zd, {outward(y).dot(zn), zn.z()});
  dsizes[0] += z[0];
  dsizes[1] += 0.5 * (z[0] - zd);
  dsizes[2] += z[2];
}

}  // namespace resilin

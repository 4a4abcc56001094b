#include "plugins/colliders/sphere.hpp"

namespace resilin {

void BallOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.real("radius", radius, {.doc = "radius", .unit = "m", .min = 0, .open = true, .differentiable = true});
}

LocalPoint Ball::local(const Vec3& y) const {
  const double r = y.norm();
  if (r == 0) return {.distance = -options_.radius, .regular = false};
  const Vec3 n = y / r;
  return {r - options_.radius, n, (Mat3::Identity() - n * n.transpose()) / r, 0, true};
}

Box3 Ball::local_bounds() const {
  return {Vec3::Constant(-options_.radius), Vec3::Constant(options_.radius)};
}

void Ball::add_size_vjp(const Vec3&, const LocalPoint&, double zd, const Vec3&, MutVec dsizes) const {
  dsizes[0] -= zd;
}

}  // namespace resilin

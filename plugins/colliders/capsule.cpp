#include "plugins/colliders/capsule.hpp"

#include <algorithm>

namespace resilin {

void CapsuleOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.real("radius", radius, {.doc = "radius", .unit = "m", .min = 0, .open = true, .differentiable = true});
  v.real("length", length,
         {.doc = "along the axis between the centres of the caps, the middle at the position",
          .unit = "m",
          .min = 0,
          .open = true,
          .differentiable = true});
}

LocalPoint Capsule::local(const Vec3& y) const {
  const double half = 0.5 * options_.length;
  const Vec3 arm = y - std::clamp(y.z(), -half, half) * Vec3::UnitZ();
  LocalPoint at;
  at.feature = y.z() < -half ? 0 : y.z() <= half ? 1 : 2;
  const double r = arm.norm();
  at.distance = r - options_.radius;
  at.regular = r > 0;
  if (r == 0) {
    at.normal = Vec3::UnitX();
    return at;
  }
  at.normal = arm / r;
  at.hessian = (Mat3::Identity() - at.normal * at.normal.transpose()) / r;
  if (at.feature == 1) at.hessian(2, 2) = 0;
  return at;
}

Box3 Capsule::local_bounds() const {
  const double r = options_.radius;
  const Vec3 half(r, r, r + 0.5 * options_.length);
  return {-half, half};
}

// A cap moves with its end of the segment as if y moved the other way.
void Capsule::add_size_vjp(const Vec3&, const LocalPoint& at, double zd, const Vec3& zn,
                           MutVec dsizes) const {
  dsizes[0] -= zd;
  if (at.feature != 1)
    dsizes[1] -= 0.5 * static_cast<double>(at.feature - 1) * (zd * at.normal + at.hessian * zn).z();
}

}  // namespace resilin

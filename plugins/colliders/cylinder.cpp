#include "plugins/colliders/cylinder.hpp"

#include "plugins/colliders/product.hpp"

namespace resilin {
namespace {

colliders::Factor disk(const Vec3& y, double radius) {
  const double r = y.head<2>().norm();
  colliders::Factor f;
  f.distance = r - radius;
  f.gradient = Vec3::UnitX();
  f.regular = r > 0;
  if (r == 0) return f;
  f.gradient << y.head<2>() / r, 0;
  const Vec3 around(-f.gradient.y(), f.gradient.x(), 0);
  f.hessian = around * around.transpose() / r;
  return f;
}

colliders::Product<2> product(const RodOptions& o, const Vec3& y) {
  return colliders::Product<2>({disk(y, o.radius), colliders::interval(y.z(), 0.5 * o.length, 2)});
}

}  // namespace

void RodOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  v.real("radius", radius, {.doc = "radius", .unit = "m", .min = 0, .open = true, .differentiable = true});
  v.real("length", length,
         {.doc = "along the axis, the middle at the position",
          .unit = "m",
          .min = 0,
          .open = true,
          .differentiable = true});
}

LocalPoint Rod::local(const Vec3& y) const {
  return product(options_, y).point;
}

Box3 Rod::local_bounds() const {
  const Vec3 half(options_.radius, options_.radius, 0.5 * options_.length);
  return {-half, half};
}

void Rod::add_size_vjp(const Vec3& y, const LocalPoint&, double zd, const Vec3& zn, MutVec dsizes) const {
  const auto p = product(options_, y);
  dsizes[0] -= p.distance_cotangent(0, zd, zn);
  dsizes[1] -= 0.5 * p.distance_cotangent(1, zd, zn);
}

}  // namespace resilin

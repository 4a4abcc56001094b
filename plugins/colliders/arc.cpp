#include "plugins/colliders/arc.hpp"

#include "plugins/colliders/arc_profile.hpp"
#include "plugins/colliders/product.hpp"

#include <cmath>
#include <numbers>

namespace resilin {
namespace {

using colliders::Arc;
using colliders::ArcPoint;

Arc middle_line(const SlideOptions& o) {
  return {o.radius + 0.5 * o.thickness, o.start, o.end};
}

colliders::Factor band(const SlideOptions& o, const ArcPoint& at) {
  colliders::Factor f;
  f.distance = at.distance - 0.5 * o.thickness;
  f.gradient << at.gradient.x(), 0, at.gradient.y();
  f.hessian << at.hessian(0, 0), 0, at.hessian(0, 1), 0, 0, 0, at.hessian(1, 0), 0, at.hessian(1, 1);
  f.feature = at.feature;
  f.features = 4;
  f.regular = at.regular;
  return f;
}

colliders::Product<2> product(const SlideOptions& o, const ArcPoint& at, const Vec3& y) {
  return colliders::Product<2>({band(o, at), colliders::interval(y.y(), 0.5 * o.width, 1)});
}

ArcPoint arc_point(const SlideOptions& o, const Vec3& y) {
  return colliders::seen_from(middle_line(o), {y.x(), y.z()});
}

}  // namespace

void SlideOptions::visit(ParamVisitor& v) {
  pose.visit(v, keys());
  const auto length = [&](const char* name, double& value, const char* doc) {
    v.real(name, value, {.doc = doc, .unit = "m", .min = 0, .open = true, .differentiable = true});
  };
  length("radius", radius, "of the inner side");
  length("thickness", thickness,
         "between inner and outer side; contact has to stop bodies within half of it");
  v.real("start", start,
         {.doc = "direction of one end, from -z towards +x", .unit = "rad", .differentiable = true});
  v.real(
      "end", end,
      {.doc = "direction of the other end, above that of the start", .unit = "rad", .differentiable = true});
  length("width", width, "along the y axis, the middle at the position");
}

Slide::Slide(const Options& options, const BuildContext& context)
    : ShapeCollider(options), path_(context.path) {
  const std::string mistake = middle_line(options).mistake();
  if (!mistake.empty()) throw context.input_error("end", mistake);
  place(context);
}

void Slide::sizes_changed() {
  const std::string mistake = middle_line(options_).mistake();
  if (!mistake.empty()) throw Error(Errc::Input, mistake, path_);
}

LocalPoint Slide::local(const Vec3& y) const {
  return product(options_, arc_point(options_, y), y).point;
}

Box3 Slide::local_bounds() const {
  const Arc arc = middle_line(options_);
  const double quarter = 0.5 * std::numbers::pi, half_width = 0.5 * options_.width;
  Box3 box;
  const auto take = [&](double angle) {
    const Eigen::Vector2d q = arc.radius * Arc::direction(angle);
    box.extend(Vec3(q.x(), -half_width, q.y()));
    box.extend(Vec3(q.x(), half_width, q.y()));
  };
  take(arc.start);
  take(arc.end);
  for (double k = std::ceil(arc.start / quarter); k * quarter < arc.end; ++k) take(k * quarter);
  const Vec3 around(0.5 * options_.thickness, 0, 0.5 * options_.thickness);
  return {box.min() - around, box.max() + around};
}

void Slide::add_size_vjp(const Vec3& y, const LocalPoint&, double zd, const Vec3& zn, MutVec dsizes) const {
  const ArcPoint at = arc_point(options_, y);
  const auto p = product(options_, at, y);
  const double zband = p.distance_cotangent(0, zd, zn);
  const Vec3 znormal = p.gradient_cotangent(0, zn);
  const Vec3 z = colliders::arc_vjp(middle_line(options_), at, zband, {znormal.x(), znormal.z()});
  dsizes[0] += z[0];
  dsizes[1] += 0.5 * (z[0] - zband);
  dsizes.segment<2>(2) += z.tail<2>();
  dsizes[4] -= 0.5 * p.distance_cotangent(1, zd, zn);
}

}  // namespace resilin

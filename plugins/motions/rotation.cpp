#include "plugins/motions/rotation.hpp"

#include <Eigen/Geometry>

namespace resilin {

void Rotation::Options::visit(ParamVisitor& v) {
  v.vec3("axis", axis, {.doc = "direction of the axis; the turn is right-handed about it"});
  v.vec3("point", point, {.doc = "a point on the axis", .unit = "m", .differentiable = true});
  v.real("rate", rate, {.doc = "constant angular velocity", .unit = "rad/s", .differentiable = true});
  v.numbers("times", times, {.doc = "times of the key frames, rising", .unit = "s"});
  v.field("angles", angles,
          {.doc = "angle at each of these times, added to that of the rate",
           .unit = "rad",
           .differentiable = true});
  visit_interpolation(v, interpolation);
}

Rotation::Rotation(const Options& options, const BuildContext& context) : options_(options) {
  if (!(options.axis.norm() > 0)) throw context.input_error("axis", "the axis must not be zero");
  axis_ = options.axis.normalized();
  curve_ = make_curve(context, options.times, options.angles, "angles", options.interpolation);
}

Mat3 Rotation::turn(double t) const {
  double angle = options_.rate * t;
  curve_.for_each_weight(t, [&](Index k, double w) { angle += w * options_.angles.values[k]; });
  return Eigen::AngleAxisd(angle, axis_).toRotationMatrix();
}

double Rotation::angular_velocity(double t) const {
  double rate = options_.rate;
  curve_.for_each_rate(t, [&](Index k, double w) { rate += w * options_.angles.values[k]; });
  return rate;
}

Vec3 Rotation::position(double t, const Vec3& x) const {
  return options_.point + turn(t) * (x - options_.point);
}

Vec3 Rotation::velocity(double t, const Vec3& x) const {
  return angular_velocity(t) * axis_.cross(turn(t) * (x - options_.point));
}

void Rotation::add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const {
  const Mat3 r = turn(t);
  const double dangle = z.dot(axis_.cross(r * (x - options_.point)));
  dtheta.head<3>() += z - r.transpose() * z;
  dtheta[3] += t * dangle;
  curve_.for_each_weight(t, [&](Index k, double w) { dtheta[4 + k] += w * dangle; });
}

void Rotation::add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const {
  const Mat3 r = turn(t);
  const Vec3 arm = r * (x - options_.point), along = axis_.cross(arm);
  const double rate = angular_velocity(t), drate = z.dot(along);
  const double dangle = rate * z.dot(axis_.cross(along));
  dtheta.head<3>() += rate * (r.transpose() * axis_.cross(z));
  dtheta[3] += t * dangle + drate;
  curve_.for_each_weight(t, [&](Index k, double w) { dtheta[4 + k] += w * dangle; });
  curve_.for_each_rate(t, [&](Index k, double w) { dtheta[4 + k] += w * drate; });
}

Vec3 Rotation::pull_back(double t, const Vec3&, const Vec3& z) const {
  return turn(t).transpose() * z;
}

Vec3 Rotation::pull_back_velocity(double t, const Vec3&, const Vec3& z) const {
  return -angular_velocity(t) * (turn(t).transpose() * axis_.cross(z));
}

}  // namespace resilin

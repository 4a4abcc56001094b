#include "plugins/motions/hermite.hpp"

namespace resilin {

void Hermite::Options::visit(ParamVisitor& v) {
  v.vec3("displacement", displacement,
         {.doc = "from the beginning of the path to its end", .unit = "m", .differentiable = true});
  v.vec3(
      "start_tangent", start_tangent,
      {.doc = "derivative of the place at the beginning by the share of the path, from 0 to 1: the velocity "
              "there times the duration",
       .unit = "m",
       .differentiable = true});
  v.vec3("end_tangent", end_tangent, {.doc = "the same at its end", .unit = "m", .differentiable = true});
  v.real("start", start, {.doc = "time at which it sets off", .unit = "s", .min = 0, .max = 1e9});
  v.real("duration", duration,
         {.doc = "time that the path takes", .unit = "s", .min = 0, .max = 1e9, .open = true});
}

Vec3 Hermite::place_weights(double t) const {
  const double s = (t - options_.start) / options_.duration;
  if (s <= 0) return Vec3::Zero();
  if (s >= 1) return Vec3::UnitX();
  return {s * s * (3 - 2 * s), s * (1 - s) * (1 - s), s * s * (s - 1)};
}

Vec3 Hermite::rate_weights(double t) const {
  const double s = (t - options_.start) / options_.duration;
  if (s < 0 || s >= 1) return Vec3::Zero();
  return Vec3(6 * s * (1 - s), (1 - s) * (1 - 3 * s), s * (3 * s - 2)) / options_.duration;
}

Vec3 Hermite::position(double t, const Vec3& x) const {
  const Vec3 w = place_weights(t);
  return x + w[0] * options_.displacement + w[1] * options_.start_tangent + w[2] * options_.end_tangent;
}

Vec3 Hermite::velocity(double t, const Vec3&) const {
  const Vec3 w = rate_weights(t);
  return w[0] * options_.displacement + w[1] * options_.start_tangent + w[2] * options_.end_tangent;
}

void Hermite::add_param_vjp(double t, const Vec3&, const Vec3& z, MutVec dtheta) const {
  dtheta.head<9>() += (z * place_weights(t).transpose()).reshaped();
}

void Hermite::add_velocity_param_vjp(double t, const Vec3&, const Vec3& z, MutVec dtheta) const {
  dtheta.head<9>() += (z * rate_weights(t).transpose()).reshaped();
}

}  // namespace resilin

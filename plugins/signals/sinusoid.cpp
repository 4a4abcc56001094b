#include "plugins/signals/sinusoid.hpp"

#include <cmath>
#include <numbers>

namespace resilin::signals {

void Sinusoid::Options::visit(ParamVisitor& v) {
  v.real("amplitude", amplitude, {.doc = "amplitude A", .differentiable = true});
  v.real("frequency", frequency,
         {.doc = "frequency f; the angular one is 2 pi f",
          .unit = "Hz",
          .min = 0,
          .max = 1e6,
          .differentiable = true});
  v.real("phase", phase, {.doc = "angle at the start", .unit = "rad", .differentiable = true});
  v.real("offset", offset, {.doc = "mean value c", .differentiable = true});
}

double Sinusoid::angle(double t) const {
  return 2 * std::numbers::pi * options_.frequency * t + options_.phase;
}

double Sinusoid::value(double t) const {
  return options_.offset + options_.amplitude * std::sin(angle(t));
}

void Sinusoid::add_param_vjp(double t, double z, MutVec dtheta) const {
  const double along = options_.amplitude * std::cos(angle(t));
  dtheta[0] += z * std::sin(angle(t));
  dtheta[1] += z * along * 2 * std::numbers::pi * t;
  dtheta[2] += z * along;
  dtheta[3] += z;
}

}  // namespace resilin::signals

#include "contacts/penalty/penalty.hpp"

#include <cmath>

namespace resilin {

void Penalty::Options::visit(ParamVisitor& v) {
  pairing.visit(v, "its vertices that may touch; all of the surface if empty");
  v.real("stiffness", stiffness,
         {.doc = "k of the normal force k depth^(power - 1) on each vertex",
          .unit = "N/m^(power - 1)",
          .min = 0,
          .max = 1e15,
          .differentiable = true});
  v.real("power", power,
         {.doc = "exponent p of the depth in the energy k/p depth^p: 2, a linear spring; 3, as in the "
                 "published examples",
          .min = 2,
          .max = 10});
  v.real("friction_stiffness", friction_stiffness,
         {.doc = "k_f, force of friction per velocity along the surface while that is slow: what ought to "
                 "stick creeps at force/k_f",
          .unit = "N s/m",
          .min = 0,
          .max = 1e15,
          .differentiable = true});
  v.real(
      "friction", friction,
      {.doc = "Coulomb's coefficient of friction, which limits that force to this part of the normal force",
       .min = 0,
       .max = 1e6,
       .differentiable = true});
  v.choice(
      "scheme", scheme, {"implicit", "explicit"},
      {.doc = "implicit: the normal force is that of the end of the step, friction uses the normal force and "
              "normal of its start and the displacement in between; explicit: both are forces at the start "
              "of the step, as the published code has it, which is stable for small steps only"});
}

Penalty::Penalty(const Options& options, const BuildContext& context) : options_(options) {
  nodes_ = options.pairing.find_nodes(context);
  colliders_ = options.pairing.find_colliders(context);
}

NormalReaction Penalty::normal(double distance) const {
  NormalReaction r;
  if (!(distance < 0)) return r;
  const double depth = -distance, p = options_.power, k = options_.stiffness;
  const double unit = std::pow(depth, p - 1);
  r.force = k * unit;
  r.energy = r.force * depth / p;
  r.stiffness = k * (p - 1) * std::pow(depth, p - 2);
  r.d_parameters = NormalReaction::Gradient::Unit(kNumParameters, kStiffness) * unit;
  return r;
}

FrictionReaction Penalty::friction(double speed, double normal_force) const {
  FrictionReaction r;
  r.d_parameters.setZero(kNumParameters);
  const double limit = options_.friction * normal_force, kf = options_.friction_stiffness;
  if (!(limit < kf * speed)) {
    r.viscosity = kf;
    r.dissipation = 0.5 * kf * speed * speed;
    r.d_parameters[kFrictionStiffness] = 1;
    return r;
  }
  r.viscosity = limit / speed;
  r.dissipation = limit * (speed - 0.5 * limit / kf);
  r.d_speed = -limit / (speed * speed);
  r.d_normal = options_.friction / speed;
  r.d_parameters[kFriction] = normal_force / speed;
  return r;
}

}  // namespace resilin

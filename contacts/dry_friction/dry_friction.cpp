#include "contacts/dry_friction/dry_friction.hpp"

namespace resilin {

void DryFriction::Options::visit(ParamVisitor& v) {
  pairing.visit(v, kNodesOfLaw);
  v.real("friction", friction,
         {.doc = "Coulomb's coefficient of friction, static and dynamic",
          .min = 0,
          .max = 1e6,
          .differentiable = true});
  visit_distance(v, distance);
  v.choice(
      "initial_penetration", initial_penetration, {"error", "push_out"},
      {.doc = "a body that starts inside a collider is an error, or the first step puts it on the surface"});
}

DryFriction::DryFriction(const Options& options, const BuildContext& context) : options_(options) {
  nodes_ = options.pairing.find_nodes(context);
  colliders_ = options.pairing.find_colliders(context);
}

ContactResponse DryFriction::respond(const Vec3& trial, const Vec3& normal) const {
  ContactResponse r = coulomb_response(trial, normal, options_.friction);
  r.d_parameters.conservativeResize(3, 2);
  r.d_parameters.col(1).setZero();  // the distance acts through the slip
  return r;
}

}  // namespace resilin

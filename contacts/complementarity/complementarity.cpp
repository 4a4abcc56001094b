#include "contacts/complementarity/complementarity.hpp"

namespace resilin {

void Complementarity::Options::visit(ParamVisitor& v) {
  pairing.visit(v, kNodesOfLaw);
  visit_distance(v, distance);
  v.choice(
      "place", place, {"surface", "kept"},
      {.doc = "where a node in contact ends a step: at the nearest place on the surface, or where it was "
              "at the start of the step although that may be above or below the surface, as the published "
              "code has it"});
  v.choice(
      "initial_penetration", initial_penetration, {"error", "push_out"},
      {.doc = "a body that starts inside a collider is an error, or the first step puts it on the surface"});
}

Complementarity::Complementarity(const Options& options, const BuildContext& context) : options_(options) {
  nodes_ = options.pairing.find_nodes(context);
  colliders_ = options.pairing.find_colliders(context);
}

ContactResponse Complementarity::respond(const Vec3& trial, const Vec3& normal) const {
  ContactResponse r = coulomb_response(trial, normal, friction());
  r.d_parameters.setZero(3, 1);  // the distance acts through the slip
  return r;
}

}  // namespace resilin

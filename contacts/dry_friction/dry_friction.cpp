#include "contacts/dry_friction/dry_friction.hpp"

namespace resilin {

void DryFriction::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that may touch; may be left out if there is only one"});
  v.section("nodes", nodes,
            {.doc = "its vertices that may touch; all of the surface if empty. What a pin holds along any "
                    "axis does not touch"});
  v.texts("colliders", colliders, {.doc = "names of the colliders that they may touch; all if empty"});
  v.real("friction", friction,
         {.doc = "Coulomb's coefficient of friction, static and dynamic",
          .min = 0,
          .max = 1e6,
          .differentiable = true});
  v.choice(
      "initial_penetration", initial_penetration, {"error", "push_out"},
      {.doc = "a body that starts inside a collider is an error, or the first step puts it on the surface"});
}

DryFriction::DryFriction(const Options& options, const BuildContext& context) : options_(options) {
  nodes_ = contact_nodes(context, options.body, options.nodes);
  colliders_ = context.find_colliders("colliders", options.colliders);
}

}  // namespace resilin

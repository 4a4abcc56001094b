#include "contacts/complementarity/complementarity.hpp"

namespace resilin {

void Complementarity::Options::visit(ParamVisitor& v) {
  v.text("body", body, {.doc = "body that may touch; may be left out if there is only one"});
  v.section("nodes", nodes,
            {.doc = "its vertices that may touch; all of the surface if empty. What a pin holds along any "
                    "axis does not touch"});
  v.texts("colliders", colliders, {.doc = "names of the colliders that they may touch; all if empty"});
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
  nodes_ = contact_nodes(context, options.body, options.nodes);
  colliders_ = context.find_colliders("colliders", options.colliders);
}

}  // namespace resilin

// The options that all contact models begin with: which nodes of which body may touch which colliders.
#pragma once

#include "core/contact/contact_model.hpp"

namespace resilin {

struct Pairing {
  std::string body;
  Selector nodes;
  std::vector<std::string> colliders;

  /// what_nodes: the doc of `nodes`.
  void visit(ParamVisitor& v, const char* what_nodes) {
    v.text("body", body, {.doc = "body that may touch; may be left out if there is only one"});
    v.section("nodes", nodes, {.doc = what_nodes});
    v.texts("colliders", colliders, {.doc = "names of the colliders that they may touch; all if empty"});
  }
  /// Numbers in the system, ascending; throws Error(Input) at "body", "nodes" or "colliders".
  std::vector<Index> find_nodes(const BuildContext& c) const { return contact_nodes(c, body, nodes); }
  std::vector<Index> find_colliders(const BuildContext& c) const {
    return c.find_colliders("colliders", colliders);
  }
};

/// The distance of contact of a law.
inline void visit_distance(ParamVisitor& v, double& distance) {
  v.real(
      "distance", distance,
      {.doc =
           "distance from the surface of a collider at which contact begins: half the thickness of a cloth",
       .unit = "m",
       .min = 0,
       .max = 1e3,
       .differentiable = true});
}

/// The doc of the nodes of a law, which pins come before.
inline constexpr const char* kNodesOfLaw =
    "its vertices that may touch; all of the surface if empty. What a pin holds along any axis does not "
    "touch";

}  // namespace resilin

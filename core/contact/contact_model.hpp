// Contact models: which nodes may touch which colliders, and by what law.
#pragma once

#include "core/geometry/collider.hpp"
#include "core/mesh/selector.hpp"

#include <vector>

namespace resilin {

/// A node that touched a collider at the end of a step, and what the collider did to it.
struct NodeContact {
  Index node = 0;               ///< of the system
  Index model = 0;              ///< number of the contact model
  Index collider = 0;           ///< number of the collider
  Vec3 impulse = Vec3::Zero();  ///< on the node, during the step [N s]
  bool operator==(const NodeContact& o) const {
    return node == o.node && model == o.model && collider == o.collider;
  }
};

/// Unilateral contact of nodes with colliders, Signorini's conditions at the end of a step: signed distance
/// d >= 0, normal impulse r_n >= 0, d r_n = 0. What happens along the surface is up to friction.
class RESILIN_API ContactModel : public Component {
 public:
  /// Nodes of the system that may touch, ascending.
  virtual const std::vector<Index>& nodes() const = 0;
  /// Numbers of the colliders that they may touch, ascending.
  virtual const std::vector<Index>& colliders() const = 0;
  /// Coulomb's coefficient of friction [-]; infinite: what touches sticks, a node in contact keeps its place
  /// on the collider's material.
  virtual double friction() const = 0;
  /// A node that sticks keeps its place of the start of the step, above or below the surface, instead of the
  /// nearest place on the surface.
  virtual bool keeps_place() const { return false; }
  /// Bodies may start inside a collider: the first step puts them on its surface.
  virtual bool pushes_out() const { return false; }
};
RESILIN_KIND(ContactModel, "contact");

/// Numbers in the system of the vertices of a body that may touch; a selector without criteria selects those
/// of the surface. Throws Error(Input) at "body" or "nodes".
RESILIN_API std::vector<Index> contact_nodes(const BuildContext& context, const std::string& body,
                                             const Selector& nodes);

}  // namespace resilin

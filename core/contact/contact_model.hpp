// Contact models: which nodes may touch which colliders, and by what law.
#pragma once

#include "core/geometry/collider.hpp"
#include "core/mesh/selector.hpp"

#include <array>
#include <vector>

namespace resilin {

/// A node that touched a collider, or nodes that touched each other, at the end of a step, and what contact
/// did to them.
struct NodeContact {
  Index node = 0;               ///< of the system
  Index model = 0;              ///< number of the contact law
  Index collider = 0;           ///< number of the collider; -1: it touches other nodes
  Vec3 impulse = Vec3::Zero();  ///< during the step [N s], on the node; weights[k] of it on each of its nodes
  bool slides = false;          ///< by a law of friction with a limit, which it has reached
  std::array<Index, 3> others{-1, -1, -1};    ///< nodes that take part besides the first; -1: none
  std::array<double, 4> weights{1, 0, 0, 0};  ///< of the node and of the others (see ContactPair)
  int form = 0;                               ///< what touches what, numbered by a PairLaw
  /// The same kind of contact: between two different ones a trajectory has a kink.
  bool operator==(const NodeContact& o) const {
    return node == o.node && model == o.model && collider == o.collider && slides == o.slides &&
           others == o.others && form == o.form;
  }
  /// f(node, its part of the impulse [N s]) for each node that takes part.
  template <class F>
  void for_each_impulse(F&& f) const {
    f(node, Vec3(weights[0] * impulse));
    for (std::size_t k = 0; k < 3 && others[k] >= 0; ++k) f(others[k], Vec3(weights[k + 1] * impulse));
  }
};

/// What contact answers to a trial force, with its derivatives.
struct ContactResponse {
  static constexpr int kMaxParameters = 4;
  Vec3 force = Vec3::Zero();     ///< on the node [N]
  Mat3 d_trial = Mat3::Zero();   ///< d force/d trial
  Mat3 d_normal = Mat3::Zero();  ///< d force/d normal, for changes that keep its length
  bool slides = false;           ///< not all of the trial force is answered along the surface
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, kMaxParameters> d_parameters{3, 0};
};

/// Which nodes may touch which colliders. What happens when they do is either a law that a ContactSolver
/// satisfies (ContactLaw) or a force that depends on how deep a node is in a collider (CompliantContact).
class RESILIN_API ContactModel : public Component {
 public:
  /// Nodes of the system that may touch, ascending.
  virtual const std::vector<Index>& nodes() const = 0;
  /// Numbers of the colliders that they may touch, ascending.
  virtual const std::vector<Index>& colliders() const = 0;
  /// Size of its part of the parameter table: all differentiable fields in the order of visit_parameters(),
  /// at most ContactResponse::kMaxParameters.
  virtual Index num_parameters() const { return 0; }
  /// Bodies may start inside a collider, and are pushed out.
  virtual bool pushes_out() const { return false; }
};
RESILIN_KIND(ContactModel, "contact");

/// Unilateral contact at the end of a step, of nodes with colliders or (PairLaw) of what a law finds.
/// Signorini's conditions hold for all: signed distance d >= 0, normal force f_n >= 0, d f_n = 0. What
/// happens along the surface is the law's own.
///
/// With s the slip, the displacement of the node from where it would stand if it stuck (normal part: d),
/// force and slip satisfy the law exactly if and only if, for any rho > 0 [N/m], f = respond(f - rho s, n)
/// [Alart and Curnier 1991; METHODS 5]. All in world coordinates.
class RESILIN_API ContactLaw : public ContactModel {
 public:
  /// Coulomb's coefficient of friction [-]; infinite: what touches sticks, a node in contact keeps its place
  /// on the collider's material.
  virtual double friction() const = 0;
  /// Distance delta >= 0 from a collider's surface at which contact begins [m]: in the above, d is the signed
  /// distance less delta.
  virtual double distance() const { return 0; }
  /// Number of delta among its parameters; -1: it is none.
  virtual Index distance_parameter() const { return -1; }
  /// A node that sticks keeps its place of the start of the step, above or below the surface, instead of the
  /// nearest place on the surface.
  virtual bool keeps_place() const { return false; }
  /// The map `respond` of the law. normal: a unit vector that points away from the collider. Without a normal
  /// part that pushes there is no contact: the response to trial . normal <= 0 is zero, with zero
  /// derivatives.
  virtual ContactResponse respond(const Vec3& trial, const Vec3& normal) const = 0;
};

/// Coulomb's law: the normal part of the trial force, and its tangential part shortened to at most mu times
/// that; mu = infinity: not shortened. Its parameter, if there is one column for it, is mu (finite).
RESILIN_API ContactResponse coulomb_response(const Vec3& trial, const Vec3& normal, double mu);

/// Numbers in the system of the vertices of a body that may touch; a selector without criteria selects those
/// of the surface. Throws Error(Input) at "body" or "nodes".
RESILIN_API std::vector<Index> contact_nodes(const BuildContext& context, const std::string& body,
                                             const Selector& nodes);

}  // namespace resilin

// What touches what at an iterate, and how far that is from the law of contact.
#pragma once

#include "core/contact/pair_law.hpp"
#include "core/solve/contact_solver.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace resilin {

/// The nodes of a contact, with the weights by which they share its relative position and its force.
struct ContactNodes {
  std::array<Index, 4> node{-1, -1, -1, -1};  ///< -1 behind the last
  std::array<double, 4> weight{1, 0, 0, 0};
  std::array<Vec3, 4> share;  ///< the weight along each axis, 0 where a pin holds the node

  /// The change of the relative position for a change of positions that is 0 where pins hold.
  Vec3 gather(ConstVec x) const {
    Vec3 y = Vec3::Zero();
    for (std::size_t k = 0; k < 4 && node[k] >= 0; ++k) y += weight[k] * x.segment<3>(3 * node[k]);
    return y;
  }
  /// Adds a force, left out where pins hold.
  void scatter_add(const Vec3& force, MutVec r) const {
    for (std::size_t k = 0; k < 4 && node[k] >= 0; ++k)
      r.segment<3>(3 * node[k]) += share[k].cwiseProduct(force);
  }
  /// The same for coordinates that pins hold.
  void scatter_add_held(const Vec3& force, MutVec r) const {
    for (std::size_t k = 0; k < 4 && node[k] >= 0; ++k)
      r.segment<3>(3 * node[k]) += (Vec3::Constant(weight[k]) - share[k]).cwiseProduct(force);
  }
  bool is_free(std::size_t k) const { return (share[k].array() == weight[k]).all(); }
};

/// A contact in touch at an iterate.
struct ActiveContact {
  std::size_t number = 0;  ///< in the set
  ContactNodes nodes;
  const ContactLaw* model = nullptr;
  double rho = 0;  ///< [N/m]
  NodeLaw::Value law;
};

/// All that may touch during a step, with its laws and forces: every node and collider that a model pairs,
/// and what PairLaws find, unless pins hold nodes of both of its sides along most of the normal.
class ContactSet {
 public:
  /// Nodes that a pin holds along any axis touch no collider. rho is a diagonal entry of A, or what the
  /// weights make of several: the answers do not depend on it.
  explicit ContactSet(const ContactProblem& problem);

  /// Forces [N], one column a contact, zero to begin with.
  const Mat3X& forces() const { return forces_; }
  void set_forces(const Mat3X& forces) { forces_ = forces; }
  /// Adds the recorded contacts of this step with their forces.
  void take(const std::vector<NodeContact>& contacts);
  /// Contacts in the set that stand among those of the step before begin with the forces of these. The others
  /// are not taken over: what slid off a face would be held up by the plane of it.
  void warm_start(const std::vector<NodeContact>& contacts);
  /// The contacts of a solution, by ascending nodes.
  std::vector<NodeContact> record(const std::vector<ActiveContact>& active) const;

  /// What touches: f . n > rho d. The forces of all others are set to zero, which is what their law asks for.
  void find_active(ConstVec x, std::vector<ActiveContact>& active);
  /// Adds what PairLaws find to touch at x and the set lacks; false if there is nothing.
  bool add_missing(ConstVec x);
  /// See PairLaw::find_crossing.
  std::string find_crossing(ConstVec x) const;
  /// r -= sum of the forces.
  void subtract_forces(MutVec r) const;
  /// What a cotangent z of a contact's law and w of all nodes' residual pull back to.
  void pull(const ActiveContact& contact, ConstVec x, const Vec3& z, ConstVec w, ContactCotangent& out) const;

 private:
  struct Member {
    NodeContact who;  ///< its identity
    ContactNodes nodes;
    double rho;
    std::optional<NodeLaw> law;  ///< of a collider, made when the node first touches
    ContactPair pair;            ///< of a PairLaw
  };
  const ContactLaw& model(const Member& m) const {
    return *p_.system.contacts()[static_cast<std::size_t>(m.who.model)];
  }
  const PairLaw* pair_law(const Member& m) const { return pair_laws_[static_cast<std::size_t>(m.who.model)]; }
  const NodeLaw& node_law(Member& m) const;
  double distance(const Member& m, ConstVec x, Vec3& normal) const;
  std::optional<std::size_t> find(const NodeContact& who) const;
  void add_pair(Index model, const ContactPair& pair);
  ContactNodes shares(const ContactPair& pair) const;

  const ContactProblem& p_;
  ContactStep step_;
  std::vector<const PairLaw*> pair_laws_;  ///< of each model; null: it has nodes and colliders
  std::vector<Member> members_;            ///< those with colliders by ascending nodes, then pairs
  std::size_t num_with_colliders_ = 0;
  /// Contacts by nodes, then by what else tells them apart.
  struct ByNodes {
    bool operator()(const NodeContact& a, const NodeContact& b) const {
      return std::tie(a.node, a.model, a.collider, a.others, a.form) <
             std::tie(b.node, b.model, b.collider, b.others, b.form);
    }
  };
  std::map<NodeContact, std::size_t, ByNodes> pair_number_;
  Mat3X forces_;
};

}  // namespace resilin

// Which nodes touch which colliders at an iterate, and how far that is from the law of contact.
#pragma once

#include "core/contact/node_law.hpp"
#include "core/solve/contact_solver.hpp"

#include <optional>

namespace resilin {

/// A node and a collider in touch at an iterate.
struct ActiveContact {
  std::size_t pair = 0;  ///< number of the pair
  Index node = 0;
  const ContactLaw* model = nullptr;
  double rho = 0;  ///< [N/m]
  NodeLaw::Value law;
};

/// All pairs of a node and a collider that may touch during a step, their laws and the forces between them.
class NodeContacts {
 public:
  /// Pairs of all nodes that no pin holds along any axis. rho of a node is its diagonal entry of A: the
  /// answers do not depend on it.
  explicit NodeContacts(const ContactProblem& problem);

  /// Forces [N], one column a pair, zero to begin with.
  const Mat3X& forces() const { return forces_; }
  void set_forces(const Mat3X& forces) { forces_ = forces; }
  void add_force(std::size_t pair, const Vec3& change) { forces_.col(static_cast<Index>(pair)) += change; }
  /// The forces of recorded contacts; pairs that do not exist any more are left out.
  void take(const std::vector<NodeContact>& contacts);
  /// The contacts of a solution.
  std::vector<NodeContact> record(const std::vector<ActiveContact>& active) const;

  /// Pairs that touch: f . n > rho d. The forces of all others are set to zero, which is what their law asks
  /// for.
  void find_active(ConstVec x, std::vector<ActiveContact>& active);
  /// r -= sum of the forces.
  void subtract_forces(MutVec r) const;
  void pull(const ActiveContact& contact, ConstVec x, const Vec3& z, MutVec dstart, MutVec theta) const;

 private:
  struct Pair {
    Index node, model, collider;
    double rho;
    std::optional<NodeLaw> law;  ///< made when the node first touches
  };
  const NodeLaw& law(Pair& pair) const;

  const ContactProblem& p_;
  double time_;
  std::vector<Pair> pairs_;
  Mat3X forces_;
};

}  // namespace resilin

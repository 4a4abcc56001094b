// Contact laws that find by themselves what touches, with the geometry of the start of a step.
#pragma once

#include "core/contact/node_law.hpp"

#include <optional>
#include <string>

namespace resilin {

/// One contact of a step: a relative position y = sum_i w_i x_i [m] whose change during the step obeys a law
/// along a fixed normal n. For nodes that meet other nodes the weights add up to 0, for one that meets a
/// collider there is one, 1. What contact does to y it does to node i by w_i of the force.
struct ContactPair {
  std::array<Index, 4> nodes{-1, -1, -1, -1};  ///< of the system; -1 behind the last
  std::array<double, 4> weights{};
  Index collider = -1;
  int form = 0;  ///< what touches what, numbered by the law; with the nodes it names the contact
  Vec3 normal = Vec3::UnitZ();  ///< n, the direction in which the first node is pushed
  double gap = 0;               ///< how far y may go against n during the step [m]; negative: it has to leave
  Vec3 drift = Vec3::Zero();    ///< change of y during the step if it sticks [m]

  /// sum_i w_i x_i over a vector of all nodes.
  Vec3 gather(ConstVec x) const {
    Vec3 y = Vec3::Zero();
    for (std::size_t k = 0; k < 4 && nodes[k] >= 0; ++k) y += weights[k] * x.segment<3>(3 * nodes[k]);
    return y;
  }
};

/// Cotangents of the numbers of a ContactPair.
struct ContactPairCotangent {
  std::array<double, 4> weights{};
  Vec3 normal = Vec3::Zero();
  double gap = 0;
  Vec3 drift = Vec3::Zero();
};

/// The step in which contact is sought.
struct ContactStep {
  const Sticking::Colliders& colliders;
  const VecX& start;   ///< positions of all nodes at its start [m]
  const VecX& target;  ///< where they would go without internal forces and contact (StepProblem::target) [m]
  double time, time_step;  ///< its end and its length [s]
  /// 3n, 1 where a pin holds: between features that each have a node that is held along all axes there is no
  /// contact.
  const std::vector<char>& fixed;
};

/// A law between what it finds at the start of a step: slip s = y(x) - y(start) - drift + gap n, force f =
/// respond(f - rho s, n), with n, gap, drift and weights constant during the step and differentiable
/// functions of its start. Its nodes() may take part, with each other or with its colliders().
class RESILIN_API PairLaw : public ContactLaw {
 public:
  /// Appends all contacts that the law would not let end at x as if they were free: those with n . (y(x) -
  /// y(start) - drift) + gap < 0, and others if it likes, each once and always in the same order. Throws
  /// Error(Numerics) where a contact has no normal.
  virtual void detect(const ContactStep& step, ConstVec x, std::vector<ContactPair>& out) const = 0;
  /// The contact of the given form between the given nodes (and collider), as detect() makes it.
  virtual ContactPair find(const ContactStep& step, const NodeContact& contact) const = 0;
  /// For cotangents z of a contact: dstart += (d/d start)^T z, and theta from model_offset on and from
  /// collider_offset[k] on likewise.
  virtual void add_vjp(const ContactStep& step, const ContactPair& pair, const ContactPairCotangent& z,
                       MutVec dstart, MutVec theta, const std::vector<Index>& collider_offset,
                       Index model_offset) const = 0;
  /// Whether the way from start to x passes through something: then what, in words; "" if not.
  virtual std::string find_crossing(const ContactStep& step, ConstVec x) const;
  /// An edge and a triangle of surfaces that cross at the start: two nodes and three; empty if there are
  /// none.
  virtual std::vector<Index> find_intersection(const VecX& start) const;
  /// The contact that is deepest inside at the start, below what rounding leaves, if any is inside.
  virtual std::optional<ContactPair> find_deepest(const ContactStep& step) const = 0;
};

/// The law of a pair at an iterate; value.surface has the normal and what is left of the gap.
RESILIN_API NodeLaw::Value evaluate(const PairLaw& law, const ContactPair& pair, const VecX& start,
                                    const Vec3& force, ConstVec x, double rho);
/// For a cotangent z of its L (see NodeLaw) and w of all nodes' R: adds what belongs to the start of the step
/// and to parameters.
RESILIN_API void pull(const PairLaw& law, const ContactStep& step, const ContactPair& pair,
                      const NodeLaw::Value& at, const Vec3& force, ConstVec x, double rho, const Vec3& z,
                      ConstVec w, MutVec dstart, MutVec theta, const std::vector<Index>& collider_offset,
                      Index model_offset);

}  // namespace resilin

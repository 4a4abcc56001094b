// Contact solvers: the step of the elastic system and the law of contact, solved together.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

/// What a contact solver works with.
struct ContactProblem {
  const System& system;
  const ForwardSolver& forward;
  const BackwardSolver& backward;
  StepProblem& step;
  const VecX& start;  ///< positions at the start of the step
};

/// With f_k the force of contact k, node i(k), the step is
///     R(x) = sum_k f_k at i(k),    L_k(f_k, x) = 0: the law of each contact
/// and its adjoint (w, z) solves
///     H w + sum_k (dL_k/dx)^T z_k = dL/dx,    (dL_k/df_k)^T z_k = w at i(k)
/// so that dL/d(anything) = - w^T dR/d(it) - sum_k z_k^T dL_k/d(it). For a node that is held at a place,
/// L_k = x - place.
class RESILIN_API ContactSolver : public Component {
 public:
  /// Throws Error(Input) through `context` if it cannot solve for the contact models of the system.
  virtual void check(const System& system, const BuildContext& context) const = 0;
  /// Starts from x and the contacts of the step before, and leaves the solution and its contacts there, by
  /// ascending nodes.
  virtual SolveReport solve(const ContactProblem& problem, MutVec x,
                            std::vector<NodeContact>& contacts) const = 0;
  /// The adjoint of such a solution. w holds a guess on entry, and on return the adjoint of R, zero where it
  /// does not matter. Of the law's part -z^T dL it adds what belongs to the positions at the start of the
  /// step to dstart, and to theta what belongs to the parameters of contact models and colliders.
  virtual SolveReport adjoint(const ContactProblem& problem, ConstVec x,
                              const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w, MutVec dstart,
                              MutVec theta) const = 0;
};
RESILIN_KIND(ContactSolver, "contact_solver");

}  // namespace resilin

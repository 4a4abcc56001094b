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

/// What the adjoint of contact adds to.
struct ContactCotangent {
  MutVec start;  ///< positions at the start of the step
  MutVec end;    ///< coordinates at its end that pins hold
  MutVec theta;  ///< parameters of contact models and colliders
};

/// With f_k the force of contact k and E_k the selection of its node (or the weights of its nodes), the step
/// is
///     R(x) = sum_k E_k f_k,    L_k(f_k, x) = 0: the law of each contact
/// and its adjoint (w, z) solves
///     H w + sum_k (dL_k/dx)^T z_k = dL/dx,    (dL_k/df_k)^T z_k = E_k^T w
/// so that dL/d(anything) = - w^T d(R - sum E f)/d(it) - sum_k z_k^T dL_k/d(it). For a node that is held at a
/// place, L_k = x - place.
class RESILIN_API ContactSolver : public Component {
 public:
  /// Throws Error(Input) through `context` if it cannot solve for the contact models of the system.
  virtual void check(const System& system, const BuildContext& context) const = 0;
  /// Starts from x and the contacts of the step before, and leaves the solution and its contacts there, by
  /// ascending nodes.
  virtual SolveReport solve(const ContactProblem& problem, MutVec x,
                            std::vector<NodeContact>& contacts) const = 0;
  /// The adjoint of such a solution. w holds a guess on entry, and on return the adjoint of R, zero where it
  /// does not matter. What contact adds to other cotangents goes to `out`.
  virtual SolveReport adjoint(const ContactProblem& problem, ConstVec x,
                              const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w,
                              ContactCotangent out) const = 0;
};
RESILIN_KIND(ContactSolver, "contact_solver");

}  // namespace resilin

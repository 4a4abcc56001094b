// Contact solvers: the step of the elastic system and the law of contact, solved together.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

/// What a contact solver works with.
struct ContactProblem {
  const System& system;
  const ForwardSolver& forward;
  StepProblem& step;
  const VecX& start;  ///< positions at the start of the step
};

class RESILIN_API ContactSolver : public Component {
 public:
  /// Throws Error(Input) through `context` if it cannot solve for the contact models of the system.
  virtual void check(const System& system, const BuildContext& context) const = 0;
  /// Starts from x and the contacts of the step before, and leaves the solution and its contacts there, by
  /// ascending nodes. The nodes of these contacts are held by the problem on return.
  virtual SolveReport solve(const ContactProblem& problem, MutVec x,
                            std::vector<NodeContact>& contacts) const = 0;
  /// Holds the nodes of such contacts, for the adjoint of the step.
  virtual void hold(const std::vector<NodeContact>& contacts, StepProblem& step) const = 0;
};
RESILIN_KIND(ContactSolver, "contact_solver");

}  // namespace resilin

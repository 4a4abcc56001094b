// The adjoint of a step with contact, the same for all solvers that satisfy the law exactly.
#pragma once

#include "plugins/contact_solvers/contact_jacobian.hpp"

namespace resilin {

struct GmresOptions {
  Index max_linear_iterations = 2000;
  Index restart = 100;
  Index max_dense = 1000;
  void visit(ParamVisitor& v);
};

/// See ContactSolver::adjoint: GMRES on the transposed Jacobian, to the tolerance of the backward solver.
SolveReport solve_contact_adjoint(const ContactProblem& problem, const GmresOptions& options, ConstVec x,
                                  const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w,
                                  ContactCotangent out);

}  // namespace resilin

// The adjoint of a step with contact, the same for all solvers that satisfy the law exactly.
#pragma once

#include "core/solve/krylov.hpp"
#include "plugins/contact_solvers/contact_jacobian.hpp"

namespace resilin {

struct GmresOptions {
  Index max_linear_iterations = 2000;
  Index restart = 100;
  Index max_dense = 1000;
  std::string adjoint = "gmres";
  void visit(ParamVisitor& v);
};

/// Solves J s = b, or its transpose, by GMRES from the given s until |b - J s| <= tolerance, the rows of the
/// law counted `law_weight` times: first with the blocks of the preconditioner, unless its factor costs less
/// than a few iterations, then with the factor, if there are not too many contacts for that.
KrylovReport solve_bordered(ContactJacobian& jacobian, bool transposed, const GmresOptions& options,
                            const VecX& b, double tolerance, double law_weight, MutVec s,
                            GmresScratch& scratch);

/// See ContactSolver::adjoint: the transposed Jacobian by GMRES, to the tolerance of the backward solver, or
/// by its sparse LU factor.
SolveReport solve_contact_adjoint(const ContactProblem& problem, const GmresOptions& options, ConstVec x,
                                  const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w,
                                  ContactCotangent out);

}  // namespace resilin

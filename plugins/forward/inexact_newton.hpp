// Inexact Newton with conjugate gradients on the exact Hessian: what `pd_newton_krylov` and `newton_pcg`
// share; they differ in the preconditioner.
#pragma once

#include "core/energy/rounded_matrix.hpp"
#include "core/solve/krylov.hpp"
#include "core/solve/solvers.hpp"

namespace resilin {

struct InexactNewtonOptions {
  Tolerances tolerances;
  double forcing = 0.1;
  Index max_linear_iterations = 1000;
  void visit(ParamVisitor& v);
};
struct InexactNewtonScratch {
  VecX r, p;
  RoundedMatrix rounded;
  KrylovScratch krylov;
  LineSearchScratch search;
};

/// Each direction by conjugate gradients, solved the better the nearer the root is [Eisenstat and Walker
/// 1996, second choice]; they stop at negative curvature with the direction found so far. `prepare` is called
/// with each new Hessian before `precondition` is.
SolveReport solve_inexact_newton(const StepProblem& problem, const InexactNewtonOptions& options,
                                 FunctionRef<void(const BlockMatrix&)> prepare, LinearMap precondition,
                                 MutVec x, InexactNewtonScratch& s);

}  // namespace resilin

// Inexact Newton: each direction by conjugate gradients on the exact Hessian, preconditioned by the matrix A
// of Projective Dynamics, which is factorised once [Eisenstat and Walker 1996 for the forcing term; Brown et
// al. 2013 and Liu et al. 2017 for the preconditioner]. Stops at negative curvature with the direction found
// so far.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

class PdNewtonKrylov final : public ForwardSolver {
 public:
  struct Options {
    Tolerances tolerances;
    double forcing = 0.1;
    Index max_linear_iterations = 1000;
    void visit(ParamVisitor& v);
  };
  PdNewtonKrylov(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;

 private:
  Options options_;
};

}  // namespace resilin

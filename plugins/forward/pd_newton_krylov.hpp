// Inexact Newton: each direction by conjugate gradients on the exact Hessian, preconditioned by the matrix A
// of Projective Dynamics, which is factorised once [Eisenstat and Walker 1996 for the forcing term; Brown et
// al. 2013 and Liu et al. 2017 for the preconditioner]. Stops at negative curvature with the direction found
// so far.
#pragma once

#include "plugins/forward/inexact_newton.hpp"

namespace resilin {

class PdNewtonKrylov final : public ForwardSolver {
 public:
  using Options = InexactNewtonOptions;
  PdNewtonKrylov(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;

 private:
  Options options_;
};

}  // namespace resilin

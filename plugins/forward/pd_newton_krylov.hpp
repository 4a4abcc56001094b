// Inexact Newton: each direction by conjugate gradients on the exact Hessian, preconditioned by the matrix A
// of Projective Dynamics, which is factorised once [Eisenstat and Walker 1996 for the forcing term; Brown et
// al. 2013 and Liu et al. 2017 for the preconditioner]. Stops at negative curvature with the direction found
// so far.
//
// Measured on a twisted bar of 32 x 8 x 8 elements and left out, because it does not pay: the whole tangent
// at rest as preconditioner (3n unknowns; 0.2 to 0.6 times the speed), the Hessian at the start of the step
// (0.3 to 0.5), A updated by the directions of the system before [Morales and Nocedal 2000] (a fifth fewer
// iterations, but more Newton steps, since negative curvature is met more often).
#pragma once

#include "plugins/forward/inexact_newton.hpp"

namespace resilin {

class PdNewtonKrylov final : public ForwardSolver {
 public:
  using Options = InexactNewtonOptions;
  PdNewtonKrylov(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  Options options_;
};

}  // namespace resilin

// Inexact Newton with conjugate gradients, preconditioned by the 3 x 3 diagonal blocks of the Hessian: no
// matrix is factorised, so memory and time per iteration grow with the mesh alone. Needs more iterations the
// finer the mesh is.
#pragma once

#include "plugins/forward/inexact_newton.hpp"

namespace resilin {

class NewtonPcg final : public ForwardSolver {
 public:
  struct Options : InexactNewtonOptions {
    Options() { max_linear_iterations = 20000; }
  };
  NewtonPcg(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  Options options_;
};

}  // namespace resilin

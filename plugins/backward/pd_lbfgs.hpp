// The adjoint system as a minimisation: q(z) = z^T H z / 2 - b^T z by L-BFGS with the prefactored matrix A of
// Projective Dynamics in place of the first Hessian [DiffPD, Du et al. 2021, section 5.2], with the exact
// step along each direction. For definite Hessians only: negative curvature is reported.
#pragma once

#include "plugins/backward/adjoint_options.hpp"

namespace resilin {

class PdLbfgsAdjoint final : public BackwardSolver {
 public:
  struct Options {
    AdjointTolerance tolerance;
    Index history = 10;
    void visit(ParamVisitor& v);
  };
  PdLbfgsAdjoint(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override {
    return solve_within(options_.tolerance.max_iterations, problem, x, b, z);
  }
  double relative_tolerance() const override { return options_.tolerance.relative_tolerance; }
  SolveReport solve_within(Index max_iterations, const StepProblem& problem, ConstVec x, ConstVec b,
                           MutVec z) const;
  Index history() const { return options_.history; }

 private:
  Options options_;
};

}  // namespace resilin

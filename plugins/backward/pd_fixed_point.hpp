// DiffPD's adjoint iteration (2021, algorithm 1): z <- A^-1 (dA z + b) with dA = A - H, that is
// z <- z + A^-1 (b - H z). Converges only if the spectral radius of A^-1 dA is below 1, H < 2 A. For
// materials that are no projection A bounds plane waves only, and a uniform change of volume is up to three
// times as stiff: there, half the step is taken, which asks for H < 4 A.
#pragma once

#include "plugins/backward/adjoint_options.hpp"

namespace resilin {

class PdFixedPoint final : public BackwardSolver {
 public:
  struct Options {
    AdjointTolerance tolerance{1e-8, 20000};
    void visit(ParamVisitor& v) { tolerance.visit(v); }
  };
  PdFixedPoint(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override {
    return solve_within(options_.tolerance.max_iterations, problem, x, b, z);
  }
  double relative_tolerance() const override { return options_.tolerance.relative_tolerance; }
  SolveReport solve_within(Index max_iterations, const StepProblem& problem, ConstVec x, ConstVec b,
                           MutVec z) const;

 private:
  Options options_;
};

}  // namespace resilin

// DiffPD's adjoint iteration (2021, algorithm 1): z <- A^-1 (dA z + b) with dA = A - H, that is
// z <- z + A^-1 (b - H z). Converges only if the spectral radius of A^-1 dA is below 1.
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
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override;

 private:
  Options options_;
};

}  // namespace resilin

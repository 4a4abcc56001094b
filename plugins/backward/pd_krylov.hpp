// The adjoint system by a Krylov method that reuses the factor of Projective Dynamics as preconditioner:
// conjugate gradients, and MINRES from the first direction of negative curvature on (the Hessian is then
// indefinite).
#pragma once

#include "plugins/backward/adjoint_options.hpp"

namespace resilin {

class PdKrylov final : public BackwardSolver {
 public:
  struct Options {
    AdjointTolerance tolerance;
    std::string method = "auto";
    void visit(ParamVisitor& v);
  };
  PdKrylov(const Options& options, const BuildContext&) : options_(options) {}
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

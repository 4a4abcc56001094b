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
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override;

 private:
  Options options_;
};

}  // namespace resilin

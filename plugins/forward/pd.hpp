// Projective Dynamics' local/global iteration [Bouaziz 2014], x <- x - A^-1 R(x), which is the same as the
// global step A x+ = a M y + sum w G^T p. For materials that are no projection it is the quasi-Newton method
// with the constant matrix A [Liu 2017], with a line search.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

class ProjectiveDynamics final : public ForwardSolver {
 public:
  struct Options {
    Tolerances tolerances{1e-6, 1e-10, 20000};
    void visit(ParamVisitor& v) { tolerances.visit(v); }
  };
  ProjectiveDynamics(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;

 private:
  Options options_;
};

}  // namespace resilin

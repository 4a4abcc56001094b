// Newton's method with an assembled Hessian, a sparse factorisation and a line search. Where the exact
// Hessian is not positive definite, element blocks are projected to positive semidefinite ones for that
// iteration.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

class Newton final : public ForwardSolver {
 public:
  struct Options {
    Tolerances tolerances;
    bool reanalyze = false;
    void visit(ParamVisitor& v);
  };
  Newton(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  Options options_;
};

}  // namespace resilin

// Projective Dynamics as a quasi-Newton method: L-BFGS with the prefactored matrix A in place of the first
// Hessian, and backtracking [Liu, Bouaziz and Kavan 2017]. For all materials, projections or not.
#pragma once

#include "plugins/forward/quasi_newton.hpp"

namespace resilin {

class PdLbfgs final : public ForwardSolver {
 public:
  struct Options {
    Tolerances tolerances{1e-6, 1e-10, 5000};
    Index history = 10;
    void visit(ParamVisitor& v);
  };
  PdLbfgs(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  Options options_;
};

}  // namespace resilin

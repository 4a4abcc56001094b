// Local/global iterations of Projective Dynamics with Anderson acceleration [Peng et al. 2018]: the next
// iterate combines the last ones so that x - A^-1 R(x) moves least; if that raises the energy, the plain step
// is taken instead. For materials that are no projection the plain step is found by a line search.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

class PdAnderson final : public ForwardSolver {
 public:
  static constexpr Index kMaxWindow = 32;
  struct Options {
    Tolerances tolerances{1e-6, 1e-10, 5000};
    Index window = 6;
    void visit(ParamVisitor& v);
  };
  PdAnderson(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  Options options_;
};

}  // namespace resilin

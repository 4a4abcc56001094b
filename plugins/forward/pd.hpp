// Projective Dynamics' local/global iteration [Bouaziz 2014], x <- x - A^-1 R(x), which is the same as the
// global step A x+ = a M y + sum w G^T p.
//
// For materials that are no projection A is a surrogate, of which nothing bounds the error: x <- x - A^-1 R
// with a line search needs more than 6,000 iterations for a step of a neo-Hookean beam at nu = 0.45 (twisted
// bar of 16 x 4 x 4 elements, residual 1e-10), updated by L-BFGS with the last ten steps [Liu 2017] 273: so
// that is what it does for them. Other surrogates were measured there: a stiffer one, the largest eigenvalue
// of the rest tangent, 636; a softer one, 2 mu, 335 with twice the evaluations; the whole tangent at rest (3n
// unknowns, not an axis at a time) 207, but 529 evaluations, and three times the cost of a solve.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

class ProjectiveDynamics final : public ForwardSolver {
 public:
  struct Options {
    Tolerances tolerances{1e-6, 1e-10, 20000};
    Index history = 10;
    void visit(ParamVisitor& v);
  };
  ProjectiveDynamics(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, MutVec x) const override;
  const Tolerances& tolerances() const override { return options_.tolerances; }

 private:
  SolveReport local_global(const StepProblem& problem, MutVec x) const;
  Options options_;
};

}  // namespace resilin

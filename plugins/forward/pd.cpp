#include "plugins/forward/pd.hpp"

#include "plugins/forward/quasi_newton.hpp"

#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  VecX r, p;
  LineSearchScratch search;
};

}  // namespace

void ProjectiveDynamics::Options::visit(ParamVisitor& v) {
  tolerances.visit(v);
  v.integer("history", history,
            {.doc = "with materials that are no projection: steps that A is updated with (L-BFGS)",
             .min = 0,
             .max = 1000});
}

SolveReport ProjectiveDynamics::solve(const StepProblem& problem, MutVec x) const {
  if (problem.system().is_projective()) return local_global(problem, x);
  return solve_quasi_newton(problem, options_.tolerances, options_.history, x,
                            problem.workspace().slot<QuasiNewtonScratch>(this));
}

SolveReport ProjectiveDynamics::local_global(const StepProblem& problem, MutVec x) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  s.r.resize(problem.size());
  s.p.resize(problem.size());
  double g = start_solve(problem, options_.tolerances, x, s.r, report);
  for (;;) {
    report.residual = norm(s.r);
    if (!std::isfinite(report.residual)) {
      report.note = "the residual is not a number";
      return report;
    }
    if (report.residual <= report.tolerance) {
      report.converged = true;
      return report;
    }
    if (report.iterations == options_.tolerances.max_iterations) return report;
    ++report.iterations;
    ++report.linear_iterations;
    problem.precondition(s.r, s.p);
    // Never raises the energy, unless a weight is negative: then the search below takes over.
    s.search.trial = x - s.p;
    s.search.residual.resize(x.size());
    const double trial = problem.residual(s.search.trial, s.search.residual);
    ++report.evaluations;
    if (trial <= g + 1e-13 * std::abs(g) + problem.value_rounding()) {
      x = s.search.trial;
      s.r = s.search.residual;
      g = trial;
      continue;
    }
    s.p *= -1;
    const Index evaluations = line_search(problem, s.p, x, s.r, g, s.search);
    if (evaluations == 0) {
      report.note = "no decrease along -A^-1 R";
      return report;
    }
    report.evaluations += evaluations;
  }
}

}  // namespace resilin

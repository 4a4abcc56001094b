#include "plugins/forward/pd.hpp"

#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  VecX r, p;
  LineSearchScratch search;
};

}  // namespace

SolveReport ProjectiveDynamics::solve(const StepProblem& problem, MutVec x) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  const bool projective = problem.system().is_projective();
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
    problem.solve_prefactored(s.r, s.p);
    if (projective) {  // never raises the energy, unless a weight is negative: then the search below takes
                       // over
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

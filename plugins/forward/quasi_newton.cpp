#include "plugins/forward/quasi_newton.hpp"

#include <cmath>

namespace resilin {

SolveReport solve_quasi_newton(const StepProblem& problem, const Tolerances& tolerances, Index pairs,
                               MutVec x, QuasiNewtonScratch& s) {
  SolveReport report;
  const Index n = problem.size();
  s.r.resize(n), s.p.resize(n), s.step.resize(n), s.change.resize(n);
  s.history.reset(n, pairs);
  double g = start_solve(problem, tolerances, x, s.r, report);
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
    if (report.iterations == tolerances.max_iterations) return report;
    ++report.iterations;
    ++report.linear_iterations;
    s.history.apply([&](ConstVec in, MutVec out) { problem.precondition(in, out); }, s.r, s.p);
    s.p *= -1;
    s.step = -x;
    s.change = -s.r;
    const Index evaluations = line_search(problem, s.p, x, s.r, g, s.search);
    if (evaluations == 0) {
      if (s.history.size() == 0) {
        report.note = "no decrease along -A^-1 R";
        return report;
      }
      s.history.reset(n, pairs);
      continue;
    }
    report.evaluations += evaluations;
    s.step += x;
    s.change += s.r;
    s.history.add(s.step, s.change);
  }
}

}  // namespace resilin

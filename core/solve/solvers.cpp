#include "core/solve/solvers.hpp"

#include <cmath>

namespace resilin {

void Tolerances::visit(ParamVisitor& v) {
  v.real("relative_tolerance", relative_tolerance,
         {.doc = "residual at which a step counts as solved, relative to the elastic force at the inertial prediction",
          .min = 0, .max = 1});
  v.real("absolute_tolerance", absolute_tolerance, {.doc = "added to it", .unit = "N", .min = 0});
  v.integer("max_iterations", max_iterations, {.doc = "outer iterations per step", .min = 1, .max = 1e9});
}

double step_tolerance(const StepProblem& problem, const Tolerances& t, ConstVec x, VecX& scratch) {
  scratch.resize(problem.size());
  // At y the inertial part vanishes (pinned coordinates apart, which do not count).
  VecX& point = problem.workspace().slot<LineSearchScratch>(&t).trial;
  point = problem.target();
  for (Index i = 0; i < point.size(); ++i)
    if (problem.fixed()[static_cast<std::size_t>(i)]) point[i] = x[i];
  problem.residual(point, scratch);
  const double scale = norm(scratch);
  if (!std::isfinite(scale)) {
    // y is not admissible for the material (an inverted element): the residual at x is the next natural scale.
    problem.residual(x, scratch);
    return std::max(t.absolute_tolerance + t.relative_tolerance * norm(scratch), problem.rounding_floor(x));
  }
  return std::max(t.absolute_tolerance + t.relative_tolerance * scale, problem.rounding_floor(x));
}

double start_solve(const StepProblem& problem, MutVec x, MutVec r, SolveReport& report) {
  double g = problem.residual(x, r);
  report.evaluations += 1;
  if (std::isfinite(g) && std::isfinite(norm(r))) return g;
  for (Index i = 0; i < x.size(); ++i)
    if (!problem.fixed()[static_cast<std::size_t>(i)]) x[i] = problem.previous()[i];
  report.evaluations += 1;
  return problem.residual(x, r);
}

Index line_search(const StepProblem& problem, ConstVec p, MutVec x, MutVec r, double& g0, LineSearchScratch& s) {
  const double slope = dot(r, p), r0 = norm(r);
  if (!(slope < 0)) return 0;
  s.trial.resize(x.size());
  s.residual.resize(x.size());
  const double rounding = 1e-13 * std::abs(g0);
  double step = 1;
  for (Index evaluations = 1; evaluations <= 30; ++evaluations, step *= 0.5) {
    s.trial = x + step * p;
    const double g = problem.residual(s.trial, s.residual);
    const bool decreases = g <= g0 + 1e-4 * step * slope;
    const bool in_rounding = -step * slope <= rounding && g <= g0 + rounding && norm(s.residual) < r0;
    if (decreases || in_rounding) {  // false for NaN
      x = s.trial;
      r = s.residual;
      g0 = g;
      return evaluations;
    }
  }
  return 0;
}

}  // namespace resilin

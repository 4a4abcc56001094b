#include "core/solve/solvers.hpp"

#include "core/solve/line_search_count.hpp"

#include <cmath>

namespace resilin {

void Tolerances::visit(ParamVisitor& v) {
  v.real("relative_tolerance", relative_tolerance,
         {.doc = "residual at which a step counts as solved, relative to the elastic force at the inertial "
                 "prediction",
          .min = 0,
          .max = 1});
  v.real("absolute_tolerance", absolute_tolerance, {.doc = "added to it", .unit = "N", .min = 0});
  v.integer("max_iterations", max_iterations, {.doc = "outer iterations per step", .min = 1, .max = 1e9});
  v.choice("saddles", saddles, {"leave", "ignore", "always"},
           {.doc = "a solution that is a saddle of the energy is left along the direction in which it falls; "
                   "leave: looked for where negative curvature was met on the way, which Newton's methods "
                   "notice; always: after every step. Scenes with laws of contact are not looked at"});
}

std::string BackwardSolver::choice(Workspace& /*workspace*/) const {
  return {};
}

namespace {

struct StartScratch {
  VecX y, r;
};

}  // namespace

double start_solve(const StepProblem& problem, const Tolerances& t, MutVec x, MutVec r, SolveReport& report) {
  auto& s = problem.workspace().slot<StartScratch>(&problem.system());
  const auto& fixed = problem.fixed();
  s.r.resize(problem.size());
  s.y = problem.target();
  for (Index i = 0; i < s.y.size(); ++i)
    if (fixed[static_cast<std::size_t>(i)]) s.y[i] = x[i];
  const double g_y = problem.residual(s.y, s.r);
  double g = problem.residual(x, r);
  report.evaluations += 2;
  double scale = norm(s.r);
  const bool y_exists = std::isfinite(g_y) && std::isfinite(scale);
  const bool x_exists = std::isfinite(g) && std::isfinite(norm(r));
  if (!x_exists && !y_exists) {
    for (Index i = 0; i < x.size(); ++i)
      if (!fixed[static_cast<std::size_t>(i)]) x[i] = problem.previous()[i];
    g = problem.residual(x, r);
    report.evaluations += 1;
  } else if (y_exists && (!x_exists || (scale < norm(r) && !problem.keeps_guess()))) {
    x = s.y;
    r = s.r;
    g = g_y;
  }
  if (!y_exists) scale = norm(r);
  report.tolerance = std::max(t.absolute_tolerance + t.relative_tolerance * scale, problem.rounding_floor(x));
  return g;
}

Index line_search(const StepProblem& problem, ConstVec p, MutVec x, MutVec r, double& g0,
                  LineSearchScratch& s) {
  const double slope = dot(r, p);
  if (!(slope < 0)) return 0;
  s.trial.resize(x.size());
  s.residual.resize(x.size());
  const double rounding = 1e-13 * std::abs(g0) + problem.value_rounding();
  double step = 1;
  for (Index evaluations = 1; evaluations <= 30; ++evaluations, step *= 0.5) {
    s.trial = x + step * p;
    const double g = problem.residual(s.trial, s.residual);
    // Differences of g that small are noise, and a tie would accept steps of no use. The slope is exact
    // there: for a quadratic g, this is the same condition [Hager and Zhang 2005, approximate Wolfe].
    const bool accepted = -step * slope > rounding
                              ? g <= g0 + 1e-4 * step * slope
                              : g <= g0 + rounding && dot(s.residual, p) <= (2e-4 - 1) * slope;
    if (accepted) {  // false for NaN
      x = s.trial;
      r = s.residual;
      g0 = g;
      auto& count = problem.workspace().slot<LineSearchCount>(&problem.system());
      ++count.searches;
      count.full_steps += evaluations == 1 ? 1 : 0;
      count.evaluations += evaluations;
      return evaluations;
    }
  }
  return 0;
}

}  // namespace resilin

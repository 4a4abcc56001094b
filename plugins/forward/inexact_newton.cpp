#include "plugins/forward/inexact_newton.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {

void InexactNewtonOptions::visit(ParamVisitor& v) {
  tolerances.visit(v);
  v.real("forcing", forcing,
         {.doc = "largest relative residual of a linear solve; falls as Newton converges",
          .min = 0,
          .max = 1,
          .open = true});
  v.integer("max_linear_iterations", max_linear_iterations,
            {.doc = "conjugate gradient iterations per direction", .min = 1, .max = 1e9});
}

SolveReport solve_inexact_newton(const StepProblem& problem, const InexactNewtonOptions& options,
                                 FunctionRef<void(const BlockMatrix&)> prepare, LinearMap precondition,
                                 MutVec x, InexactNewtonScratch& s) {
  SolveReport report;
  s.r.resize(problem.size());
  s.p.resize(problem.size());
  double g = start_solve(problem, options.tolerances, x, s.r, report);
  double forcing = options.forcing, previous = 0;
  const BlockMatrix* h = nullptr;
  bool refresh = true, rounded = false;
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
    if (report.iterations == options.tolerances.max_iterations) return report;
    if (report.iterations > 0) {
      const double ratio = report.residual / previous;
      forcing = std::min(options.forcing, 0.9 * ratio * ratio);
      // A Hessian that gave such a step is good for another: it costs as much as ten products with it.
      refresh = ratio > 0.1;
    }
    previous = report.residual;
    ++report.iterations;
    if (refresh) {
      h = &problem.hessian(x, false);
      prepare(*h);
      // What a rounded Hessian gives is a direction; whether the step is solved, the exact residual says.
      rounded = s.rounded.take(*h);
    }
    // No need to solve better than the step's own tolerance asks for.
    const double target = std::max(forcing * report.residual, 0.3 * report.tolerance);
    s.r *= -1;
    const auto product = [&](ConstVec in, MutVec out) {
      if (rounded)
        s.rounded.multiply(in, out, problem.fixed());
      else
        h->multiply(in, out, problem.fixed());
    };
    const KrylovReport k = conjugate_gradients(product, precondition, nullptr, s.r, s.p, false, target,
                                               options.max_linear_iterations, s.krylov);
    report.linear_iterations += k.iterations;
    if (k.stop == KrylovReport::Stop::NegativeCurvature) report.met_negative_curvature = true;
    // Negative curvature at once: the preconditioned gradient still descends.
    if (k.stop == KrylovReport::Stop::NegativeCurvature && k.iterations == 1) precondition(s.r, s.p);
    s.r *= -1;
    const Index evaluations = line_search(problem, s.p, x, s.r, g, s.search);
    if (evaluations == 0) {
      report.note = "no decrease along Newton's direction";
      return report;
    }
    report.evaluations += evaluations;
  }
}

}  // namespace resilin

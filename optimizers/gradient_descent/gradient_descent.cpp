#include "optimizers/gradient_descent/gradient_descent.hpp"

namespace resilin {

void GradientDescent::Options::visit(ParamVisitor& v) {
  stopping.visit(v);
  v.choice(
      "step_rule", step_rule, {"barzilai_borwein", "doubling"},
      {.doc = "first step of a line search: |s|^2 / (s . y) of the iteration before, or twice its step"});
  v.real("first_step", first_step,
         {.doc = "largest change of a variable that is tried first, in units of the distance between its "
                 "bounds (its own unit without them)",
          .min = 0,
          .open = true});
  v.integer("max_line_search", max_line_search,
            {.doc = "evaluations per line search", .min = 1, .max = 1000});
}

OptimizerReport GradientDescent::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  ScaledProblem problem(f, lower, upper, options_.stopping);
  VecX x = problem.projected(problem.scaled(u)), gradient;
  double step = 0;
  try {
    double loss = problem.evaluate(x, gradient);
    while (!problem.done(x, loss, gradient)) {
      if (!(step > 0)) step = options_.first_step / gradient.lpNorm<Eigen::Infinity>();
      const VecX x_before = x, gradient_before = gradient;
      if (!armijo_step(problem, -gradient, step, options_.max_line_search, x, loss, gradient)) break;
      const VecX s = x - x_before, y = gradient - gradient_before;
      const double curvature = s.dot(y);
      if (options_.step_rule == "barzilai_borwein" && curvature > 0)
        step = s.squaredNorm() / curvature;
      else  // |s| / |gradient| is the step taken, but for variables at their bounds
        step = 2 * s.norm() / gradient_before.norm();
    }
  } catch (const OptimizerStopped&) {  // the report says which limit
  }
  return problem.finish(u);
}

}  // namespace resilin

#include "optimizers/one_plus_one_es/one_plus_one_es.hpp"

#include "core/base/random.hpp"
#include "optimizers/bound_transform.hpp"

#include <cmath>

namespace resilin {

void OnePlusOneEs::Options::visit(ParamVisitor& v) {
  v.real("sigma", sigma,
         {.doc = "first step size: standard deviation of a candidate around the best point, in units of the "
                 "distance between the bounds of a variable (its own unit without them)",
          .min = 0,
          .open = true});
  v.integer("seed", seed, {.doc = "seed of the candidates", .min = 0, .max = 1e15});
  stopping.visit_limits(v);
  v.real("step_tolerance", step_tolerance,
         {.doc = "stops when the step size, in the unit of sigma, is this small", .min = 0});
  v.real("loss_tolerance", stopping.loss_tolerance,
         {.doc = "stops when `patience` candidates together lower the loss by no more than this part of the "
                 "first loss",
          .min = 0});
  v.integer("patience", stopping.patience,
            {.doc = "candidates that loss_tolerance looks back over; 0: 100 + 50 n for n variables",
             .min = 0,
             .max = 1e6});
}

OptimizerReport OnePlusOneEs::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  StoppingOptions rules = options_.stopping;
  if (rules.patience == 0) rules.patience = 100 + 50 * u.size();
  ScaledProblem problem(f, lower, upper, rules);
  const VecX start = problem.projected(problem.scaled(u));
  const BoundTransform bounds(problem.lower(), problem.upper());
  VecX y = bounds.free(start);
  Random random(static_cast<std::uint64_t>(options_.seed));
  const double damping = std::sqrt(static_cast<double>(u.size()) + 1);
  double sigma = options_.sigma;
  Index worse = 0, failed = 0;  // candidates since the last success; failed: not admissible
  try {
    double loss = problem.value(start);
    while (!problem.done()) {
      if (sigma <= options_.step_tolerance) {
        problem.stop(true, "the steps are within step_tolerance");
        break;
      }
      const VecX candidate = y + sigma * random.normals(y.size());
      const double candidate_loss = problem.value(bounds.bounded(candidate));
      const bool success = candidate_loss <= loss;
      if (success) {
        y = candidate;
        loss = candidate_loss;
        worse = failed = 0;
      } else {
        ++(std::isinf(candidate_loss) ? failed : worse);
      }
      sigma *= std::exp(((success ? 1 : 0) - 0.2) / 0.8 / damping);
    }
    if (problem.converged() && failed > 0 && worse == 0)
      problem.stop(false, "no point can be evaluated, however near; the last failed because: " +
                              problem.last_failure());
  } catch (const OptimizerStopped&) {  // the report says which limit
  }
  return problem.finish(u);
}

}  // namespace resilin

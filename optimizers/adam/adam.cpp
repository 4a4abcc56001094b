#include "optimizers/adam/adam.hpp"

#include "optimizers/adam/moments.hpp"

#include <cmath>
#include <numbers>

namespace resilin {
namespace {

/// Moves x to `to`, or to the first of the points halfway back, a quarter of the way, ... that is admissible.
/// False, and the problem ends, if none is.
bool move_to(ScaledProblem& problem, const VecX& to, VecX& x, double& loss, VecX& gradient) {
  constexpr int kMaxHalvings = 30;
  const VecX from = x;
  double part = 1;
  for (int k = 0; k <= kMaxHalvings; ++k, part /= 2) {
    x = k == 0 ? to : VecX(from + part * (to - from));
    loss = problem.evaluate(x, gradient);
    if (std::isfinite(loss)) return true;
  }
  problem.stop(
      false, "no point along the step can be evaluated; the last failed because: " + problem.last_failure());
  return false;
}

}  // namespace

void Adam::Options::visit(ParamVisitor& v) {
  stopping.visit(v);
  v.real("step", step,
         {.doc = "step size a of the first iteration: change of a variable per iteration, in units of the "
                 "distance between its bounds (its own unit without them)",
          .min = 0,
          .open = true});
  v.choice("schedule", schedule, {"cosine", "constant", "inverse_root"},
           {.doc = "step size of iteration k: a (1 + cos(pi (k - 1) / max_iterations)) / 2, a, a / sqrt(k)"});
  v.real("beta1", beta1, {.doc = "memory of the mean gradient", .min = 0, .max = 0.999999});
  v.real("beta2", beta2, {.doc = "memory of its square", .min = 0, .max = 0.999999});
  v.real("epsilon", epsilon,
         {.doc = "gradient, of the loss over its first value, below which steps shrink",
          .min = 0,
          .open = true});
}

double Adam::step_size(Index iteration) const {
  const auto k = static_cast<double>(iteration);
  if (options_.schedule == "constant") return options_.step;
  if (options_.schedule == "inverse_root") return options_.step / std::sqrt(k);
  const auto last = static_cast<double>(options_.stopping.max_iterations);
  return 0.5 * options_.step * (1 + std::cos(std::numbers::pi * (k - 1) / last));
}

OptimizerReport Adam::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  ScaledProblem problem(f, lower, upper, options_.stopping);
  VecX x = problem.projected(problem.scaled(u)), gradient;
  AdamMoments moments(x.size(), {options_.beta1, options_.beta2, options_.epsilon});
  try {
    double loss = problem.evaluate(x, gradient);
    while (!problem.done(x, loss, gradient)) {
      moments.add(gradient);
      const VecX step = moments.step(step_size(problem.iterations() + 1));
      if (!move_to(problem, problem.projected(x - step), x, loss, gradient)) break;
    }
  } catch (const OptimizerStopped&) {  // the report says which limit
  }
  return problem.finish(u);
}

}  // namespace resilin

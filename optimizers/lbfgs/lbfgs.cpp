#include "optimizers/lbfgs/lbfgs.hpp"

#include <deque>
#include <vector>

namespace resilin {
namespace {

struct Pair {
  VecX s, y;  ///< change of x and of the gradient
};

/// 1 where the bounds leave the variable free to follow -gradient.
VecX free_variables(const ScaledProblem& problem, const VecX& x, const VecX& gradient) {
  VecX free(x.size());
  for (Index i = 0; i < x.size(); ++i)
    free[i] =
        (x[i] <= problem.lower()[i] && gradient[i] > 0) || (x[i] >= problem.upper()[i] && gradient[i] < 0)
            ? 0
            : 1;
  return free;
}

/// -H gradient in the free variables by the two-loop recursion, all products restricted to them; pairs whose
/// curvature there is not positive are left out. `used` gets their number.
VecX direction(const std::deque<Pair>& pairs, const VecX& gradient, const VecX& free, Index& used) {
  VecX q = gradient.cwiseProduct(free);
  std::vector<double> alpha;
  std::vector<std::pair<VecX, VecX>> kept;  // s and y in the free variables, newest first
  for (auto it = pairs.rbegin(); it != pairs.rend(); ++it) {
    VecX s = it->s.cwiseProduct(free), y = it->y.cwiseProduct(free);
    const double curvature = s.dot(y);
    if (!(curvature > 1e-14 * y.squaredNorm())) continue;
    alpha.push_back(s.dot(q) / curvature);
    q -= alpha.back() * y;
    kept.emplace_back(std::move(s), std::move(y));
  }
  used = static_cast<Index>(kept.size());
  if (!kept.empty()) q *= kept[0].first.dot(kept[0].second) / kept[0].second.squaredNorm();
  for (std::size_t k = kept.size(); k-- > 0;) {
    const auto& [s, y] = kept[k];
    q += (alpha[k] - y.dot(q) / s.dot(y)) * s;
  }
  return -q;
}

}  // namespace

void Lbfgs::Options::visit(ParamVisitor& v) {
  stopping.visit(v);
  v.integer("history", history,
            {.doc = "pairs of steps and gradient changes that are kept", .min = 1, .max = 1000});
  v.real("first_step", first_step,
         {.doc = "largest change of a variable that is tried first, in units of the distance between its "
                 "bounds (its own unit without them)",
          .min = 0,
          .open = true});
  v.integer("max_line_search", max_line_search,
            {.doc = "evaluations per line search", .min = 1, .max = 1000});
}

OptimizerReport Lbfgs::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  ScaledProblem problem(f, lower, upper, options_.stopping);
  VecX x = problem.projected(problem.scaled(u)), gradient;
  std::deque<Pair> pairs;
  try {
    double loss = problem.evaluate(x, gradient);
    while (!problem.done(x, loss, gradient)) {
      const VecX free = free_variables(problem, x, gradient);
      Index used = 0;
      VecX p = direction(pairs, gradient, free, used);
      if (!(p.dot(gradient) < 0)) {
        pairs.clear();
        used = 0;
        p = -gradient.cwiseProduct(free);
      }
      // Without curvature only the direction means something, not the length.
      const double step = used > 0 ? 1 : options_.first_step / p.lpNorm<Eigen::Infinity>();
      const VecX x_before = x, gradient_before = gradient;
      if (!armijo_step(problem, p, step, options_.max_line_search, x, loss, gradient)) break;
      pairs.push_back({x - x_before, gradient - gradient_before});
      if (static_cast<Index>(pairs.size()) > options_.history) pairs.pop_front();
    }
  } catch (const OptimizerStopped&) {  // the report says which limit
  }
  return problem.finish(u);
}

}  // namespace resilin

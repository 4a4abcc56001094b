#include "optimizers/cma_es/cma_es.hpp"

#include "optimizers/bound_transform.hpp"
#include "optimizers/cma_es/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace resilin {
namespace {

/// Drawn points and their losses; infinite ones are not admissible.
struct Generation {
  std::vector<VecX> points;
  std::vector<double> losses;

  Index num_admissible() const {
    return std::count_if(losses.begin(), losses.end(), [](double l) { return std::isfinite(l); });
  }
  double best() const { return *std::min_element(losses.begin(), losses.end()); }
  /// The `count` best, equal ones as they were drawn.
  std::vector<VecX> best_points(Index count) const {
    std::vector<std::size_t> order(losses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
    std::vector<VecX> chosen;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) chosen.push_back(points[order[i]]);
    return chosen;
  }
};

Generation next_generation(ScaledProblem& problem, const BoundTransform& bounds,
                           const CmaDistribution& distribution, Random& random) {
  Generation g;
  for (Index i = 0; i < distribution.population(); ++i) {
    g.points.push_back(distribution.draw(random));
    g.losses.push_back(problem.value(bounds.bounded(g.points.back())));
  }
  return g;
}

/// The rules about the last generations; true if the problem has ended.
class EndOfSearch {
 public:
  EndOfSearch(ScaledProblem& problem, double loss_tolerance, Index patience, double step_tolerance)
      : problem_(problem),
        loss_tolerance_(loss_tolerance),
        step_tolerance_(step_tolerance),
        patience_(static_cast<std::size_t>(patience)) {}

  bool operator()(const Generation& g, const CmaDistribution& distribution) {
    constexpr int kMaxHalvings = 30;
    constexpr double kWorstCondition = 1e14;
    halvings_ = g.num_admissible() == 0 ? halvings_ + 1 : 0;
    if (halvings_ > kMaxHalvings) {
      problem_.stop(false,
                    "no point of a generation can be evaluated, however near; the last failed because: " +
                        problem_.last_failure());
      return true;
    }
    bests_.push_back(g.best());
    if (bests_.size() > patience_) bests_.pop_front();
    if (problem_.done()) return true;
    const auto [least, most] = std::minmax_element(bests_.begin(), bests_.end());
    if (bests_.size() == patience_ && *most - *least <= loss_tolerance_)
      problem_.stop(
          true,
          fmt::format("the best losses of {} generations differ by no more than loss_tolerance", patience_));
    else if (halvings_ == 0 && distribution.largest_step() <= step_tolerance_)
      problem_.stop(true, "the steps are within step_tolerance");
    else if (distribution.condition() > kWorstCondition)
      problem_.stop(false, "the covariance of the search is singular to rounding");
    else
      return false;
    return true;
  }

 private:
  ScaledProblem& problem_;
  double loss_tolerance_, step_tolerance_;
  std::size_t patience_;
  std::deque<double> bests_;
  int halvings_ = 0;
};

}  // namespace

void CmaEs::Options::visit(ParamVisitor& v) {
  v.real(
      "sigma", sigma,
      {.doc = "first step size: standard deviation of the points around the start, in units of the distance "
              "between the bounds of a variable (its own unit without them)",
       .min = 0,
       .open = true});
  v.integer(
      "population", population,
      {.doc = "points of a generation; 0: 4 + 3 log(n) for n variables, rounded down. More of them search "
              "more globally",
       .min = 0,
       .max = 1e6});
  v.check(population == 0 || population >= 4, "population: expected at least 4 points, or 0");
  v.integer("seed", seed, {.doc = "seed of the points", .min = 0, .max = 1e15});
  stopping.visit_limits(v);
  v.real("step_tolerance", step_tolerance,
         {.doc = "stops when the standard deviation of every variable, in the unit of sigma, is this small",
          .min = 0});
  v.real(
      "loss_tolerance", stopping.loss_tolerance,
      {.doc = "stops when the best losses of `patience` generations differ by no more than this part of the "
              "first loss",
       .min = 0});
  v.integer("patience", stopping.patience,
            {.doc = "generations that loss_tolerance looks back over; 0: 10 + 30 n / population",
             .min = 0,
             .max = 1e6});
}

OptimizerReport CmaEs::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  StoppingOptions rules = options_.stopping;
  rules.loss_tolerance = -std::numeric_limits<double>::infinity();  // the rule here is another one
  rules.patience = 1;
  ScaledProblem problem(f, lower, upper, rules);
  const VecX start = problem.projected(problem.scaled(u));
  const auto n = static_cast<double>(u.size());
  const Index population =
      options_.population > 0 ? options_.population : 4 + static_cast<Index>(3 * std::log(n));
  const Index patience = options_.stopping.patience > 0
                             ? options_.stopping.patience
                             : 10 + static_cast<Index>(std::ceil(30 * n / static_cast<double>(population)));
  const BoundTransform bounds(problem.lower(), problem.upper());
  CmaDistribution distribution(bounds.free(start), options_.sigma, population);
  Random random(static_cast<std::uint64_t>(options_.seed));
  EndOfSearch ends(problem, options_.stopping.loss_tolerance, patience, options_.step_tolerance);
  try {
    (void)problem.value(start);
    (void)problem.done();
    while (true) {
      const Generation g = next_generation(problem, bounds, distribution, random);
      const Index usable = std::min(g.num_admissible(), distribution.num_parents());
      if (usable > 0)
        distribution.update(g.best_points(usable));
      else
        distribution.halve_sigma();
      if (ends(g, distribution)) break;
    }
  } catch (const OptimizerStopped&) {  // the report says which limit
  }
  return problem.finish(u);
}

}  // namespace resilin

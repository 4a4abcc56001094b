#include "optimizers/multi_start/multi_start.hpp"

#include "core/base/log.hpp"
#include "core/base/random.hpp"
#include "optimizers/shared_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace resilin {
namespace {

/// 0 .. count - 1 in random order (Fisher and Yates').
std::vector<Index> permutation(Index count, Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = count - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  return order;
}

}  // namespace

void MultiStart::Options::visit(ParamVisitor& v) {
  v.integer("starts", starts,
            {.doc = "points that the optimizer begins at, the start of the task is the first",
             .min = 1,
             .max = 1e6});
  v.integer(
      "candidates", candidates,
      {.doc = "points whose loss is evaluated first, without gradients, the start of the task among them; "
              "the optimizer begins at the best of them. 0: at all that are drawn",
       .min = 0,
       .max = 1e6});
  v.check(candidates == 0 || candidates >= starts, "candidates: expected at least as many as starts, or 0");
  v.choice(
      "sampling", sampling, {"latin_hypercube", "uniform"},
      {.doc = "how points are drawn between the bounds: latin_hypercube has one in each of equal parts of "
              "the range of every variable"});
  v.integer("seed", seed, {.doc = "seed of the points", .min = 0, .max = 1e15});
  v.component("optimizer", "optimizer", optimizer, {.doc = "what is run from each point"});
}

MultiStart::MultiStart(const Options& options, const BuildContext& context)
    : options_(options),
      where_(context.input_error("", "").where()),
      optimizer_(make_inner(options.optimizer, context)) {}

std::vector<VecX> MultiStart::points(ConstVec lower, ConstVec upper, const VecX& first) const {
  const Index drawn = std::max(options_.starts, options_.candidates) - 1;
  std::vector<VecX> all = {first};
  if (drawn == 0) return all;
  if (!(upper - lower).allFinite())
    throw Error(Errc::Input,
                "multi_start draws points between the bounds: every parameter needs a lower and an upper one",
                where_);
  Random random(static_cast<std::uint64_t>(options_.seed));
  all.insert(all.end(), static_cast<std::size_t>(drawn), VecX(lower.size()));
  const double part = 1 / static_cast<double>(drawn);
  for (Index i = 0; i < lower.size(); ++i) {
    const std::vector<Index> cell = permutation(drawn, random);
    for (Index k = 0; k < drawn; ++k) {
      const auto c = static_cast<double>(cell[static_cast<std::size_t>(k)]);
      const double r = options_.sampling == "uniform" ? random.uniform() : part * (c + random.uniform());
      all[static_cast<std::size_t>(k) + 1][i] = std::min(lower[i] + r * (upper[i] - lower[i]), upper[i]);
    }
  }
  return all;
}

/// The `starts` best points, the best first; fewer if not as many are admissible.
void MultiStart::keep_best(SharedObjective& f, std::vector<VecX>& points) const {
  std::vector<std::pair<double, std::size_t>> losses;
  for (std::size_t i = 0; i < points.size(); ++i) {
    try {
      const double loss = f.value(points[i]);
      if (std::isfinite(loss)) losses.emplace_back(loss, i);
    } catch (const BudgetSpent&) {
      if (!f.has_best()) throw;
      break;
    } catch (const Error& e) {
      if (e.code() != Errc::Numerics || i == 0) throw;
      log_warn(fmt::format("multi_start passes over candidate {}: {}", i + 1, e.what()));
    }
    if (i == 0 && losses.empty()) throw Error(Errc::Numerics, "the loss is not a number at the start");
  }
  std::sort(losses.begin(), losses.end());
  std::vector<VecX> kept;
  for (std::size_t i = 0; i < losses.size() && i < static_cast<std::size_t>(options_.starts); ++i)
    kept.push_back(points[losses[i].second]);
  points = std::move(kept);
}

OptimizerReport MultiStart::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  SharedObjective shared(f);
  std::vector<VecX> all = points(lower, upper, u);
  if (options_.candidates > 0) keep_best(shared, all);
  OptimizerReport best;
  best.loss = std::numeric_limits<double>::infinity();
  Index iterations = 0, begun = 0;
  std::string which = "no start";
  for (const VecX& point : all) {
    if (shared.budget_is_spent()) break;
    VecX at = point;
    ++begun;
    try {
      const OptimizerReport r = optimizer_->minimize(shared, lower, upper, at);
      iterations += r.iterations;
      if (r.loss < best.loss) {
        best = r;
        which = fmt::format("start {}", begun);
      }
    } catch (const BudgetSpent&) {
      if (!shared.has_best()) throw;
    } catch (const Error& e) {
      if (e.code() != Errc::Numerics || begun == 1) throw;
      log_warn(fmt::format("multi_start passes over start {}: {}", begun, e.what()));
    }
  }
  OptimizerReport report = shared.finish(u);
  report.converged = best.converged && !shared.budget_is_spent();
  report.iterations = iterations;
  report.note = fmt::format("best: {} of {}{}", which, all.size(), best.note.empty() ? "" : ": " + best.note);
  if (shared.budget_is_spent())
    report.note += fmt::format("; ended at start {}: {}", begun, shared.spent_text());
  return report;
}

}  // namespace resilin

#include "core/app/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace resilin::app {
namespace {

constexpr double kVisible = 1e-3;  // fall of a loss, relative to it, that is kept though noise may be larger

/// u with variable v moved towards the farther bounds, each entry by another part of the way, so that changes
/// do not cancel by symmetry.
VecX moved(const Task& task, const TaskVariable& v, const VecX& u) {
  VecX at = u;
  for (Index i = v.offset; i < v.offset + v.size; ++i) {
    const double lower = task.lower()[i], upper = task.upper()[i];
    const double golden = 0.6180339887498949 * static_cast<double>(i - v.offset);
    const double part = 0.25 + 0.25 * (golden - std::floor(golden));
    const bool up = upper - u[i] >= u[i] - lower;
    const double width = upper - lower;
    const double step = std::isfinite(width) ? part * width : 0.1 * std::max(1.0, std::abs(u[i]));
    at[i] += up ? std::min(step, upper - u[i]) : -std::min(step, u[i] - lower);
  }
  return at;
}

struct Probe {
  bool influence = true;
  double fall = 0;  ///< by how much more than noise the loss is lower there
};

Probe probe(Task& task, const TaskVariable& v, const JudgedPoint& start) {
  VecX gradient(task.size());
  const VecX at = moved(task, v, start.u);
  try {
    const double loss = start.has_gradient() ? task.evaluate(at, gradient) : task.value(at);
    const double noise = start.noise + task.noise();
    return {!(std::abs(loss - start.loss) <= noise), std::max(0.0, start.loss - loss - noise)};
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    return {};  // a simulation that fails there depends on it
  }
}

/// Also where nothing is known of it.
bool gradient_is_zero(const TaskVariable& v, const JudgedPoint& at) {
  return !at.has_gradient() || (at.gradient.segment(v.offset, v.size).array() == 0).all();
}

void judge_fallen(Task& task, const JournaledObjective& objective, const OptimizerReport& report,
                  Verdict& v) {
  const JudgedPoint& best = objective.best();
  v.outcome = report.converged ? Outcome::Converged : Outcome::NotConverged;
  v.text = (report.converged ? "converged: " : "NOT CONVERGED: ") + report.note;
  if (!report.converged && best.is_stationary_to_noise()) {
    v.outcome = Outcome::Converged;
    v.text = fmt::format(
        "converged: what is left of the gradient promises no more than the noise {:.2g} of "
        "the loss ({})",
        best.noise, report.note);
  }
  for (const TaskVariable& variable : task.variables()) {
    const VecX change = best.u.segment(variable.offset, variable.size) -
                        objective.first().u.segment(variable.offset, variable.size);
    if (gradient_is_zero(variable, objective.first()) && (change.array() == 0).all() &&
        !probe(task, variable, best).influence)
      v.without_influence.push_back(variable.path);
  }
}

void judge_start(Task& task, const JudgedPoint& start, const OptimizerReport& report, Verdict& v) {
  if (!report.converged && !start.is_stationary_to_noise()) {
    v.text = fmt::format("the loss did not fall at all: {}", report.note);
    return;
  }
  bool lower_elsewhere = false;
  for (const TaskVariable& variable : task.variables()) {
    const Probe p = probe(task, variable, start);
    if (!p.influence) v.without_influence.push_back(variable.path);
    lower_elsewhere = lower_elsewhere || p.fall > 0;
  }
  if (v.without_influence.size() == task.variables().size()) {
    v.outcome = Outcome::NoInfluence;
    v.text = fmt::format("the loss does not depend on {}: it stays {:.6g} when they are moved",
                         fmt::join(v.without_influence, ", "), start.loss);
  } else if (lower_elsewhere && start.has_gradient() && start.gradient.isZero(0)) {
    v.outcome = Outcome::NoMinimum;
    v.text =
        "the gradient is zero at the start, but the loss is lower elsewhere: a maximum, a saddle or "
        "another minimum; start from another point";
  } else {
    v.outcome = Outcome::AlreadyStationary;
    v.text = start.is_stationary_to_noise()
                 ? fmt::format(
                       "already at a stationary point: the gradient at the start promises no more than "
                       "the noise {:.2g} of the loss, which rounding and the solves leave",
                       start.noise)
                 : fmt::format("already at a stationary point: {}", report.note);
  }
}

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Converged:
      return "converged";
    case Outcome::NotConverged:
      return "not_converged";
    case Outcome::AlreadyStationary:
      return "already_stationary";
    case Outcome::NoInfluence:
      return "no_influence";
    case Outcome::WithinNoise:
      return "within_noise";
    case Outcome::NoMinimum:
      return "no_minimum";
  }
  throw Error(Errc::Internal, "unknown outcome");
}

Verdict judge(Task& task, const JournaledObjective& objective, const OptimizerReport& report) {
  const JudgedPoint &first = objective.first(), &best = objective.best();
  Verdict v;
  v.fell = first.loss - best.loss > first.noise + best.noise;
  const bool is_lower = first.loss - best.loss > kVisible * std::abs(first.loss);
  v.found = v.fell || is_lower ? best.u : task.start();
  v.loss = v.fell || is_lower ? best.loss : first.loss;
  if (v.fell) {
    judge_fallen(task, objective, report, v);
  } else if (is_lower) {
    v.outcome = Outcome::WithinNoise;
    v.text = fmt::format(
        "NOT CERTAIN: the loss fell from {:.6g} to {:.6g}, by less than the noise {:.2g} that the "
        "solves may leave in it: set a smaller forward.relative_tolerance ({})",
        first.loss, best.loss, first.noise + best.noise, report.note);
  } else
    judge_start(task, first, report, v);
  return v;
}

}  // namespace resilin::app

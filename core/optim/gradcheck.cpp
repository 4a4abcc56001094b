#include "core/optim/gradcheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace resilin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The loss along a line in parameter space.
class Line {
 public:
  Line(Task& task, const VecX& theta, const VecX& direction)
      : task_(task), theta_(theta), direction_(direction) {}
  /// NaN where the parameters are not admissible, as those of a signal that leaves the range of what follows
  /// it, which no range of the signal tells, or where a step fails. `contacts`, if given: what touches on the
  /// way.
  double operator()(double s, ContactHistory* contacts) {
    try {
      task_.simulation().system().set_parameters(theta_ + s * direction_);
      return task_.loss_of_table(contacts);
    } catch (const Error& e) {
      if (e.code() != Errc::Input && e.code() != Errc::Numerics) throw;
      failure = e.message();
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  double noise(double s) {
    task_.simulation().system().set_parameters(theta_ + s * direction_);
    VecX gradient;
    task_.evaluate_table(gradient);
    return task_.last_noise.total();
  }
  std::string failure;  ///< why the last point that is none is not admissible
  ~Line() { task_.simulation().system().set_parameters(theta_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

 private:
  Task& task_;
  const VecX& theta_;
  const VecX& direction_;
};

/// Largest s for which theta + s direction (and theta - s direction) stays inside all ranges.
double room(const ParameterEntry& e, const VecX& theta, const VecX& direction, bool one_sided) {
  double s = kInfinity;
  for (Index i = e.offset; i < e.offset + e.size; ++i) {
    const double d = direction[i];
    if (d == 0) continue;
    const double up = e.max - theta[i], down = theta[i] - e.min;
    s = std::min(s, (one_sided ? (d > 0 ? up : down) : std::min(up, down)) / std::abs(d));
  }
  return s;
}

/// The direction with coordinates that are nearer than `margin` to an end of the range turned inwards.
VecX turned_inwards(const ParameterEntry& e, const VecX& theta, VecX direction, double margin) {
  for (Index i = e.offset; i < e.offset + e.size; ++i) {
    const double reach = margin * std::abs(direction[i]);
    if (theta[i] - e.min < reach) direction[i] = std::abs(direction[i]);
    if (e.max - theta[i] < reach) direction[i] = -std::abs(direction[i]);
  }
  return direction;
}

/// Natural size of a change of this parameter: its own size, or one where it is zero.
double natural_scale(const ParameterEntry& e, const VecX& theta) {
  const double size = theta.segment(e.offset, e.size).cwiseAbs().maxCoeff();
  return size > 0 ? size : 1;
}

/// A difference of the loss: sum of weights L(theta + shift step direction) / step.
struct Stencil {
  std::vector<std::pair<double, double>> points;  ///< shift, weight
  double extrapolation;  ///< weight of the change from a step to its quarter: removes the leading error
  double weights() const {
    double sum = 0;
    for (const auto& [shift, weight] : points) sum += std::abs(weight);
    return sum;
  }
};
const Stencil kCentral{{{1, 0.5}, {-1, -0.5}}, 1.0 / 15};          // s^2, then s^4
const Stencil kForward{{{0, -1.5}, {1, 2}, {2, -0.5}}, 1.0 / 15};  // s^2, then s^3

struct Difference {
  double value = 0, step = 0;
  double spread = kInfinity;  ///< from neighbouring steps and rounding
  double order = std::numeric_limits<double>::quiet_NaN();
  std::vector<Index> contact_changes;
};

/// The centre of a check: what does not depend on the direction.
struct Centre {
  double loss = 0;
  LossNoise noise;
  VecX theta, gradient;
  bool has_contact = false;
  ContactHistory contacts;  ///< empty if nothing can touch
};

/// Adds the steps (from 1) in which other nodes are in contact.
void add_changes(const ContactHistory& a, const ContactHistory& b, std::set<Index>& steps) {
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
    if (a[k] != b[k]) steps.insert(static_cast<Index>(k) + 1);
}

/// The loss at the points of a stencil.
struct StencilSum {
  double sum = 0;           ///< of the weighted losses
  double plus = 0;          ///< the loss one step ahead
  std::set<Index> changes;  ///< steps in which other nodes are in contact than at the centre
};

StencilSum evaluate(Line& line, const Stencil& stencil, const Centre& centre, double step) {
  StencilSum out;
  for (const auto& [shift, weight] : stencil.points) {
    ContactHistory contacts;
    const double loss =
        shift == 0 ? centre.loss : line(shift * step, centre.has_contact ? &contacts : nullptr);
    add_changes(centre.contacts, contacts, out.changes);
    if (shift == 1) out.plus = loss;
    out.sum += weight * loss;
  }
  return out;
}

/// Differences over falling steps, extrapolated once (Richardson): the pair that agrees best, its noise
/// counted; and the Taylor order of the one-sided remainder. `noise`: of the loss, for the choice of the
/// step.
Difference best_difference(Line& line, const Stencil& stencil, const Centre& centre, double adjoint,
                           double largest, double noise) {
  constexpr int kSteps = 12;
  Difference best;
  double smallest = kInfinity, last = 0, last_extrapolated = 0, last_remainder = 0, step = largest;
  const double weights = stencil.weights();
  std::set<Index> changes[2];  // of the two steps before, which the extrapolations compared look at too
  bool is_smooth = false;      // the best so far crosses no change of contacts
  for (int k = 0; k < kSteps; ++k, step /= 4) {
    StencilSum at = evaluate(line, stencil, centre, step);
    const double difference = at.sum / step, remainder = std::abs(at.plus - centre.loss - step * adjoint);
    const double resolved = 1e3 * centre.noise.rounding;
    if (k > 0 && remainder > resolved && last_remainder > resolved && std::isnan(best.order) &&
        remainder < 0.9 * last_remainder)
      best.order = std::log(last_remainder / remainder) / std::log(4.0);
    const double extrapolated = difference + (difference - last) * stencil.extrapolation;
    if (k > 1) {
      const double change = std::abs(extrapolated - last_extrapolated);
      const double uncertainty = change + weights * noise / step;
      std::set<Index> crossed = at.changes;
      for (const auto& before : changes) crossed.insert(before.begin(), before.end());
      // One that crosses no change is preferred if it resolves the derivative at all.
      const double size = std::max(std::abs(adjoint), std::abs(extrapolated));
      const bool smooth = crossed.empty() && uncertainty <= 1e-3 * size;
      if (std::isfinite(uncertainty) && (smooth != is_smooth ? smooth : uncertainty < smallest)) {
        smallest = uncertainty;
        is_smooth = smooth;
        best.contact_changes.assign(crossed.begin(), crossed.end());
        best.value = extrapolated;
        best.step = step;
        best.spread = change + weights * centre.noise.rounding / step;
      }
    }
    last = difference;
    last_extrapolated = extrapolated;
    last_remainder = remainder;
    changes[0] = std::exchange(changes[1], std::move(at.changes));
  }
  return best;
}

/// What the uncertainty of the loss makes of a difference, measured where the difference looks: at a minimum
/// the loss is far less certain beside it than at it.
double noise_of(Line& line, const Stencil& stencil, double step) {
  double sum = 0;
  for (const auto& [shift, weight] : stencil.points) sum += std::abs(weight) * line.noise(shift * step);
  return sum / step;
}

/// Where to look: a direction, the first step of the sweep, and on how many sides.
struct Sweep {
  VecX direction;
  double largest = 0;
  bool one_sided = false;
};

/// Both sides where there is room for them, else into the range.
Sweep choose_sweep(const ParameterEntry& e, const VecX& theta, const VecX& direction) {
  // Less room than a few steps of the sweep leaves too little of it.
  constexpr double kLeastRoom = 1.0 / 64;
  const double wanted = 0.02 * natural_scale(e, theta);
  // Half the room keeps clear of ends that are excluded; a one-sided difference goes twice as far.
  const Sweep both{direction, std::min(0.5 * room(e, theta, direction, false), wanted), false};
  if (both.largest >= kLeastRoom * wanted) return both;
  const VecX inwards = turned_inwards(e, theta, direction, kLeastRoom * wanted);
  const Sweep one{inwards, std::min(0.25 * room(e, theta, inwards, true), wanted), true};
  return one.largest > both.largest ? one : both;
}

GradcheckRow check_direction(Task& task, const ParameterEntry& e, const Centre& centre, const VecX& direction,
                             const std::string& name, double tolerance) {
  GradcheckRow row;
  row.path = e.path;
  row.direction = name;
  const Sweep sweep = choose_sweep(e, centre.theta, direction);
  row.one_sided = sweep.one_sided;
  row.adjoint = centre.gradient.dot(sweep.direction);
  if (!std::isfinite(row.adjoint)) return row;  // not passed
  if (!(sweep.largest > 0)) {
    row.at_bound = row.passed = true;
    return row;
  }
  std::optional<Line> line;
  const Stencil* stencil = row.one_sided ? &kForward : &kCentral;
  // The bound on the noise is often far above it and then asks for large steps. Where small ones, chosen by
  // the rounding of the loss value alone, agree with the adjoint, there is nothing left to judge.
  const double value_rounding = std::numeric_limits<double>::epsilon() * std::abs(centre.loss);
  Difference d;
  const auto differentiate = [&](const VecX& along) {
    row.adjoint = centre.gradient.dot(along);
    line.emplace(task, centre.theta, along);
    d = best_difference(*line, *stencil, centre, row.adjoint, sweep.largest, value_rounding);
    if (!(std::abs(row.adjoint - d.value) <= tolerance * std::max(std::abs(row.adjoint), std::abs(d.value))))
      d = best_difference(*line, *stencil, centre, row.adjoint, sweep.largest, centre.noise.total());
    return std::isfinite(d.spread) && std::isfinite(d.value);
  };
  if (!differentiate(sweep.direction) && !row.one_sided) {
    // On one side nothing can be simulated: a body that touches a collider at the start, for one.
    stencil = &kForward;
    row.one_sided = differentiate(sweep.direction) || differentiate(-sweep.direction);
  }
  row.difference = d.value;
  row.step = d.step;
  row.taylor_order = d.order;
  row.contact_changes = d.contact_changes;
  const double size = std::max(std::abs(row.adjoint), std::abs(row.difference));
  const double gap = std::abs(row.adjoint - row.difference);
  row.error = size > 0 ? gap / size : 0;
  // A difference that does not exist (NaN along the whole line) leaves the spread infinite and passes
  // nothing.
  if (!std::isfinite(d.spread) || !std::isfinite(d.value)) {
    row.note = line->failure;
    return row;
  }
  row.passed = row.error <= tolerance;
  if (row.passed) return row;
  row.noise = noise_of(*line, *stencil, d.step);
  // Where contacts change the spread is that of a kink, and excuses nothing.
  row.below_noise =
      size <= row.noise || (d.contact_changes.empty() && d.spread > tolerance * size && gap <= 4 * d.spread);
  row.passed = row.below_noise;
  return row;
}

struct Direction {
  VecX d;  ///< in the whole table
  std::string name;
};

/// Single coordinates: the largest by gradient first, the others spread over the ranking.
std::vector<Index> ranked_coordinates(const VecX& part, Index wanted) {
  std::vector<Index> order(static_cast<std::size_t>(part.size())), chosen;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(part[a]) > std::abs(part[b]); });
  const Index count = std::min(wanted, part.size());
  for (Index k = 0; k < count; ++k)
    chosen.push_back(order[static_cast<std::size_t>(k == 0 ? 0 : k * (part.size() - 1) / (count - 1))]);
  return chosen;
}

std::vector<Direction> directions_of(const ParameterEntry& e, const VecX& gradient,
                                     const GradcheckOptions& options, std::mt19937_64& random) {
  std::vector<Direction> directions;
  const auto add = [&](const VecX& d, const std::string& name) {
    VecX full = VecX::Zero(gradient.size());
    full.segment(e.offset, e.size) = d;
    directions.push_back({std::move(full), name});
  };
  if (e.size == 1) {
    add(VecX::Ones(1), "value");
    return directions;
  }
  const VecX part = gradient.segment(e.offset, e.size);
  if (!(part.norm() == 0))
    add(part.allFinite() ? VecX(part / part.cwiseAbs().maxCoeff()) : VecX::Ones(e.size), "gradient");
  std::normal_distribution<double> normal;
  for (Index r = 0; r < options.random_directions; ++r) {
    VecX d(e.size);
    for (double& v : d) v = normal(random);
    add(d / d.cwiseAbs().maxCoeff(), fmt::format("random {}", r + 1));
  }
  for (const Index i : ranked_coordinates(part, options.coordinates))
    add(VecX::Unit(e.size, i), fmt::format("coordinate {}", i));
  return directions;
}

std::vector<const ParameterEntry*> groups_of(const ParameterTable& table,
                                             const std::vector<std::string>& paths) {
  std::vector<const ParameterEntry*> groups;
  if (paths.empty())
    for (const ParameterEntry& e : table.entries()) groups.push_back(&e);
  for (const std::string& p : paths)
    for (const ParameterEntry* e : table.find(p)) groups.push_back(e);
  return groups;
}

}  // namespace

GradcheckReport check_gradient(Task& task, const GradcheckOptions& options) {
  GradcheckReport report;
  Centre centre;
  report.loss = centre.loss = task.evaluate_table(centre.gradient);
  centre.noise = task.last_noise;
  centre.has_contact = !task.simulation().system().contacts().empty();
  if (centre.has_contact) (void)task.loss_of_table(&centre.contacts);
  const ParameterTable& table = task.simulation().system().parameters();
  centre.theta = table.values();
  std::mt19937_64 random(options.seed);
  report.passed = true;
  for (const ParameterEntry* e : groups_of(table, options.paths))
    for (const Direction& direction : directions_of(*e, centre.gradient, options, random)) {
      report.rows.push_back(
          check_direction(task, *e, centre, direction.d, direction.name, options.tolerance));
      const GradcheckRow& row = report.rows.back();
      report.passed = report.passed && row.passed;
      if (!row.below_noise) report.worst_error = std::max(report.worst_error, row.error);
    }
  // A check that compared nothing has shown nothing.
  report.passed = report.passed && std::any_of(report.rows.begin(), report.rows.end(),
                                               [](const GradcheckRow& row) { return !row.at_bound; });
  return report;
}

}  // namespace resilin

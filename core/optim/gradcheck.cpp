#include "core/optim/gradcheck.hpp"

#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace resilin {
namespace {

/// The loss along a line in parameter space.
class Line {
 public:
  Line(Task& task, const VecX& theta, const VecX& direction)
      : task_(task), theta_(theta), direction_(direction) {}
  double operator()(double s) {
    task_.simulation().system().set_parameters(theta_ + s * direction_);
    return task_.loss_of_table();
  }
  ~Line() { task_.simulation().system().set_parameters(theta_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

 private:
  Task& task_;
  const VecX& theta_;
  const VecX& direction_;
};

/// Largest s for which theta +- s direction stays strictly inside all ranges.
double room(const ParameterEntry& e, const VecX& theta, const VecX& direction) {
  double s = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < e.size; ++i) {
    const double d = std::abs(direction[e.offset + i]), v = theta[e.offset + i];
    if (d > 0) s = std::min({s, (v - e.min) / d, (e.max - v) / d});
  }
  return 0.5 * s;
}

/// Natural size of a change of this parameter: its own size, or one where it is zero.
double natural_scale(const ParameterEntry& e, const VecX& theta) {
  const double size = theta.segment(e.offset, e.size).cwiseAbs().maxCoeff();
  return size > 0 ? size : 1;
}

struct Difference {
  double value = 0, step = 0, spread = std::numeric_limits<double>::infinity(), noise = 0, order = 0;
};

/// Central differences over falling steps, extrapolated once (Richardson), the pair that agrees best; and the
/// Taylor order of the one-sided remainder.
Difference best_difference(Line& line, double loss, double adjoint, double largest) {
  Difference best;
  best.order = std::numeric_limits<double>::quiet_NaN();
  double last = 0, last_extrapolated = 0, last_remainder = 0;
  const double rounding = 4e-16 * std::max(1e-300, std::abs(loss));
  double step = largest;
  for (int k = 0; k < 12; ++k, step /= 4) {
    const double plus = line(step), minus = line(-step);
    const double central = (plus - minus) / (2 * step), noise = rounding / step;
    const double remainder = std::abs(plus - loss - step * adjoint);
    if (k > 0 && remainder > 1e3 * rounding && last_remainder > 1e3 * rounding && std::isnan(best.order) &&
        remainder < 0.9 * last_remainder)
      best.order = std::log(last_remainder / remainder) / std::log(4.0);
    const double extrapolated = central + (central - last) / 15;
    if (k > 1) {
      const double spread = std::abs(extrapolated - last_extrapolated) + noise;
      if (spread < best.spread) {
        best.value = extrapolated;
        best.step = step;
        best.spread = spread;
        best.noise = noise;
      }
    }
    last = central;
    last_extrapolated = extrapolated;
    last_remainder = remainder;
  }
  return best;
}

GradcheckRow check_direction(Task& task, const ParameterEntry& e, const VecX& theta, const VecX& gradient,
                             const VecX& direction, const std::string& name, double loss, double tolerance) {
  GradcheckRow row;
  row.path = e.path;
  row.direction = name;
  row.adjoint = gradient.dot(direction);
  const double largest = std::min(room(e, theta, direction), 0.02 * natural_scale(e, theta));
  if (!std::isfinite(row.adjoint)) return row;  // not passed
  if (!(largest > 0)) {
    row.at_bound = row.passed = true;
    return row;
  }
  Line line(task, theta, direction);
  const Difference d = best_difference(line, loss, row.adjoint, largest);
  row.difference = d.value;
  row.step = d.step;
  row.taylor_order = d.order;
  const double size = std::max(std::abs(row.adjoint), std::abs(row.difference));
  const double gap = std::abs(row.adjoint - row.difference);
  row.error = size > 0 ? gap / size : 0;
  // Where the difference itself is only known to a larger error than the tolerance, its own spread is the
  // limit. A difference that does not exist (NaN along the whole line) leaves the spread infinite and passes
  // nothing.
  row.below_noise = size > 0 && d.spread > tolerance * size;
  row.passed = std::isfinite(d.spread) && std::isfinite(d.value) &&
               (row.error <= tolerance || (row.below_noise && gap <= 4 * d.spread));
  return row;
}

}  // namespace

GradcheckReport check_gradient(Task& task, const GradcheckOptions& options) {
  GradcheckReport report;
  VecX gradient;
  report.loss = task.evaluate_table(gradient);
  const ParameterTable& table = task.simulation().system().parameters();
  const VecX theta = table.values();
  std::vector<const ParameterEntry*> groups;
  if (options.paths.empty())
    for (const ParameterEntry& e : table.entries()) groups.push_back(&e);
  for (const std::string& p : options.paths)
    for (const ParameterEntry* e : table.find(p)) groups.push_back(e);
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  report.passed = true;
  for (const ParameterEntry* e : groups) {
    const auto check = [&](const VecX& direction, const std::string& name) {
      report.rows.push_back(
          check_direction(task, *e, theta, gradient, direction, name, report.loss, options.tolerance));
      const GradcheckRow& row = report.rows.back();
      report.passed = report.passed && row.passed;
      if (!row.below_noise || !row.passed) report.worst_error = std::max(report.worst_error, row.error);
    };
    const VecX part = gradient.segment(e->offset, e->size);
    const auto embed = [&](const VecX& d) {
      VecX full = VecX::Zero(table.size());
      full.segment(e->offset, e->size) = d;
      return full;
    };
    if (e->size == 1) {
      check(embed(VecX::Ones(1)), "value");
      continue;
    }
    if (!(part.norm() == 0))
      check(embed(part.allFinite() ? VecX(part / part.cwiseAbs().maxCoeff()) : VecX::Ones(e->size)),
            "gradient");
    for (Index r = 0; r < options.random_directions; ++r) {
      VecX d(e->size);
      for (double& v : d) v = normal(random);
      check(embed(d / d.cwiseAbs().maxCoeff()), fmt::format("random {}", r + 1));
    }
    std::vector<Index> order(static_cast<std::size_t>(e->size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return std::abs(part[a]) > std::abs(part[b]); });
    const Index count = std::min(options.coordinates, e->size);
    for (Index k = 0; k < count; ++k) {
      // The largest by gradient first, the others spread over the ranking.
      const Index i = order[static_cast<std::size_t>(k == 0 ? 0 : k * (e->size - 1) / (count - 1))];
      VecX d = VecX::Zero(e->size);
      d[i] = 1;
      check(embed(d), fmt::format("coordinate {}", i));
    }
  }
  // A check that compared nothing has shown nothing.
  report.passed = report.passed && std::any_of(report.rows.begin(), report.rows.end(),
                                               [](const GradcheckRow& row) { return !row.at_bound; });
  return report;
}

}  // namespace resilin

#include "plugins/motions/curve.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>

namespace resilin {

Curve::Curve(VecX times, bool cubic) : times_(std::move(times)) {
  const Index n = times_.size();
  if (!cubic || n < 3) return;
  // Natural spline: continuity of the first derivative at the inner keys gives the second derivatives.
  MatX left = MatX::Identity(n, n), right = MatX::Zero(n, n);
  for (Index k = 1; k + 1 < n; ++k) {
    const double before = times_[k] - times_[k - 1], after = times_[k + 1] - times_[k];
    left.row(k).segment<3>(k - 1) << before / 6, (before + after) / 3, after / 6;
    right.row(k).segment<3>(k - 1) << 1 / before, -1 / before - 1 / after, 1 / after;
  }
  curvature_ = left.partialPivLu().solve(right);
}

Index Curve::piece(double t) const {
  return std::upper_bound(times_.data(), times_.data() + times_.size(), t) - times_.data() - 1;
}

Curve::Weights Curve::value_weights(double a, double b, double h) {
  return {a, b, h * h / 6 * (a * a * a - a), h * h / 6 * (b * b * b - b)};
}

Curve::Weights Curve::rate_weights(double a, double b, double h) {
  return {-1 / h, 1 / h, -h / 6 * (3 * a * a - 1), h / 6 * (3 * b * b - 1)};
}

void check_keys(const BuildContext& context, const VecX& times, const Field& values, const char* key) {
  if (times.size() == 0) throw context.input_error("times", "at least one time is needed");
  for (Index k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      throw context.input_error("times", fmt::format("must rise; {} follows {}", times[k], times[k - 1]));
  if (values.steps != 1)
    throw context.input_error(key, "one entry for each of the times is expected, not steps");
  if (values.items != times.size())
    throw context.input_error(key, fmt::format("{} entries given for {} times", values.items, times.size()));
}

}  // namespace resilin

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

VecX Curve::weights(double t) const {
  const Index n = times_.size();
  VecX w = VecX::Zero(n);
  if (t <= times_[0] || n == 1) {
    w[0] = 1;
    return w;
  }
  if (t >= times_[n - 1]) {
    w[n - 1] = 1;
    return w;
  }
  const Index k = std::upper_bound(times_.data(), times_.data() + n, t) - times_.data() - 1;
  const double h = times_[k + 1] - times_[k], b = (t - times_[k]) / h, a = 1 - b;
  w[k] = a;
  w[k + 1] = b;
  if (curvature_.size() > 0)
    w += h * h / 6 *
         ((a * a * a - a) * curvature_.row(k) + (b * b * b - b) * curvature_.row(k + 1)).transpose();
  return w;
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

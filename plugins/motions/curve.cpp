#include "plugins/motions/curve.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>

namespace resilin {

Curve::Curve(VecX times, Kind kind) : times_(std::move(times)) {
  const Index n = times_.size();
  if (kind == Kind::BSpline) {
    knots_.resize(n + 4);
    knots_.head(4).setConstant(times_[0]);
    knots_.tail(4).setConstant(times_[n - 1]);
    for (Index k = 4; k < n; ++k) knots_[k] = times_.segment<3>(k - 3).mean();
    return;
  }
  if (kind == Kind::Linear || n < 3) return;
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

/// The recursion of Cox and de Boor, from the functions of degree 0 upwards.
Curve::Basis Curve::basis(double t, bool rate) const {
  const Index n = num_keys();
  const Index span = std::clamp<Index>(
      std::upper_bound(knots_.data(), knots_.data() + knots_.size(), t) - knots_.data() - 1, 3, n - 1);
  Basis result;
  result.first = span - 3;
  double* w = result.weights;
  w[3] = 1;  // of degree d: the functions span - d .. span in w[3 - d] .. w[3]
  for (Index degree = 1; degree <= 3; ++degree) {
    const bool last_as_rate = rate && degree == 3;
    for (Index j = 3 - degree; j <= 3; ++j) {
      const Index i = result.first + j;
      const double left = knots_[i + degree] - knots_[i], right = knots_[i + degree + 1] - knots_[i + 1];
      const double before = j > 3 - degree && left > 0 ? w[j] / left : 0;
      const double after = j < 3 && right > 0 ? w[j + 1] / right : 0;
      w[j] = last_as_rate ? 3 * (before - after)
                          : (t - knots_[i]) * before + (knots_[i + degree + 1] - t) * after;
    }
  }
  return result;
}

void visit_interpolation(ParamVisitor& v, std::string& interpolation) {
  v.choice("interpolation", interpolation, {"linear", "cubic", "b_spline"},
           {.doc = "between the key frames: straight lines, a natural cubic spline, or a cubic B-spline that "
                   "has them as control points and meets the first and the last"});
}

Curve make_curve(const BuildContext& context, const VecX& times, const Field& values, const char* key,
                 const std::string& interpolation) {
  if (times.size() == 0) throw context.input_error("times", "at least one time is needed");
  for (Index k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      throw context.input_error("times", fmt::format("must rise; {} follows {}", times[k], times[k - 1]));
  if (values.steps != 1)
    throw context.input_error(key, "one entry for each of the times is expected, not steps");
  if (values.items != times.size())
    throw context.input_error(key, fmt::format("{} entries given for {} times", values.items, times.size()));
  if (interpolation != "b_spline")
    return {times, interpolation == "cubic" ? Curve::Kind::Cubic : Curve::Kind::Linear};
  if (times.size() < 4)
    throw context.input_error(
        "times", fmt::format("a B-spline needs at least four control points, not {}", times.size()));
  return {times, Curve::Kind::BSpline};
}

}  // namespace resilin

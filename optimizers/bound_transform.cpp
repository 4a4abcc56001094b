#include "optimizers/bound_transform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace resilin {
namespace {

double bounded(double y, double lower, double upper) {
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (!below && !above) return y;
  if (!above) return std::max(lower, lower - 1 + std::hypot(1, y - lower));
  if (!below) return std::min(upper, upper + 1 - std::hypot(1, y - upper));
  const double width = upper - lower, centre = 0.5 * (lower + upper);
  if (width == 0) return lower;
  return std::clamp(centre + 0.5 * width * std::sin(2 * (y - centre) / width), lower, upper);
}

double free_of(double x, double lower, double upper) {
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (!below && !above) return x;
  // sqrt((d + 1)^2 - 1), d the distance from the bound
  if (!above) return lower + std::sqrt((x - lower) * (x - lower + 2));
  if (!below) return upper - std::sqrt((upper - x) * (upper - x + 2));
  const double width = upper - lower, centre = 0.5 * (lower + upper);
  if (width == 0) return lower;
  return centre + 0.5 * width * std::asin(std::clamp(2 * (x - centre) / width, -1.0, 1.0));
}

}  // namespace

BoundTransform::BoundTransform(VecX lower, VecX upper) : lower_(std::move(lower)), upper_(std::move(upper)) {}

VecX BoundTransform::bounded(const VecX& y) const {
  VecX x(y.size());
  for (Index i = 0; i < y.size(); ++i) x[i] = resilin::bounded(y[i], lower_[i], upper_[i]);
  return x;
}

VecX BoundTransform::free(const VecX& x) const {
  VecX y(x.size());
  for (Index i = 0; i < x.size(); ++i) y[i] = free_of(x[i], lower_[i], upper_[i]);
  return y;
}

}  // namespace resilin

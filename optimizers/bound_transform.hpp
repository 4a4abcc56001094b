// Bounds for optimizers that draw points from an unbounded distribution.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

/// A smooth map from all of R^n onto the points within the bounds [James, Roos 1975: MINUIT], coordinate by
/// coordinate:
///   two bounds of distance w:  x = (lower + upper + w sin(2 (y - c) / w)) / 2,  c = (lower + upper) / 2
///   one bound:                 x = lower - 1 + sqrt(1 + (y - lower)^2), the same mirrored for an upper one
///   none, or two equal ones:   x = y, x = lower
/// In the middle, or far from the only bound, x and y have the same scale. At a bound dx/dy = 0: a loss that
/// falls towards it is a parabola over y, not a kink, so that a distribution learns it as any other minimum.
class BoundTransform {
 public:
  BoundTransform(VecX lower, VecX upper);
  VecX bounded(const VecX& y) const;
  /// A y with bounded(y) = x up to rounding; x is within the bounds.
  VecX free(const VecX& x) const;

 private:
  VecX lower_, upper_;
};

}  // namespace resilin

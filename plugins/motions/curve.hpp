// Curves through values at given times.
#pragma once

#include "core/params/visitor.hpp"
#include "core/plugin/component.hpp"

namespace resilin {

/// c(t) = sum_k w_k(t) c_k: linear in the values at the keys. Constant before the first key and after the
/// last.
class Curve {
 public:
  Curve() = default;
  /// times [s], rising, at least one; cubic: a natural spline (continuous second derivative, zero at both
  /// ends).
  Curve(VecX times, bool cubic);
  Index num_keys() const { return times_.size(); }
  /// w(t), num_keys() weights that add up to 1.
  VecX weights(double t) const;

 private:
  VecX times_;
  MatX curvature_;  ///< second derivatives at the keys for unit values; empty for a linear curve
};

/// Throws the place's error unless the times are rising and fit the number of values.
void check_keys(const BuildContext& context, const VecX& times, const Field& values, const char* key);

}  // namespace resilin

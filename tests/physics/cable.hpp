// The elastic catenary, with which hanging chains and sheets are compared.
#pragma once

#include "core/base/types.hpp"

#include <cmath>

namespace resilin::test {

/// An elastic cable of rest length L between two supports at the same height, D apart, with weight w per rest
/// length and stiffness EA [Irvine 1981, section 2.2].
struct Cable {
  double length, span, weight, stiffness;
  double thrust = 0;  ///< horizontal part of the tension [N]

  void solve() {
    double low = 1e-6 * weight * length, high = 1e3 * weight * length;
    for (int i = 0; i < 200; ++i) {
      thrust = std::sqrt(low * high);
      (at(length).x() > span ? high : low) = thrust;  // the more thrust, the wider
    }
  }
  /// Of the particle at rest length s from the left support.
  Vec3 at(double s) const {
    const double v = weight * length / 2, h = thrust, left = v - weight * s;
    return {h * s / stiffness + h / weight * (std::asinh(v / h) - std::asinh(left / h)), 0,
            -s / stiffness * (v - weight * s / 2) -
                h / weight * (std::hypot(1, v / h) - std::hypot(1, left / h))};
  }
};

}  // namespace resilin::test

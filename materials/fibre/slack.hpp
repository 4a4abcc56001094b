// The strain of a fibre that goes slack when it is pressed.
#pragma once

#include "core/energy/pack.hpp"

namespace resilin {

/// r(e) with derivatives: zero for e <= 0, w (t^3 - t^4/2) with t = e/w for 0 < e < w, e - w/2 beyond, so
/// that r^2 is twice continuously differentiable.
struct SlackStrain {
  Pack value, d1, d2;
};
RESILIN_INLINE void slack_strain(Pack e, double w, SlackStrain& out) {
  const Pack zero = splat(0.0), one = splat(1.0), t = e / w;
  const PackMask slack = t <= 0.0, rising = (t > 0.0) & (t < 1.0);
  out.value = slack ? zero : rising ? w * t * t * t * (1.0 - 0.5 * t) : e - 0.5 * w;
  out.d1 = slack ? zero : rising ? t * t * (3.0 - 2.0 * t) : one;
  out.d2 = rising ? 6.0 / w * t * (1.0 - t) : zero;
}

}  // namespace resilin

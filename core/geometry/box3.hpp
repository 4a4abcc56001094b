// Boxes along the axes, which may be unbounded.
#pragma once

#include "core/base/types.hpp"

#include <limits>

namespace resilin {

/// [min, max] per axis [m]; default-made it is empty. A bound may be infinite.
using Box3 = Eigen::AlignedBox3d;

/// All of space.
inline Box3 unbounded_box() {
  const Vec3 far = Vec3::Constant(std::numeric_limits<double>::infinity());
  return {-far, far};
}

}  // namespace resilin

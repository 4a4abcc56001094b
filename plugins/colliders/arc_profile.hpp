// A circular arc in a plane, the middle line of arc and bowl. Directions are angles [rad] from -z towards the
// other axis: (sin b, -cos b).
#pragma once

#include "core/base/types.hpp"

#include <string>

namespace resilin::colliders {

struct Arc {
  double radius, start, end;  ///< [m], [rad]; start < end <= start + 2 pi

  static Eigen::Vector2d direction(double angle);
  /// What is wrong with the angles, or nothing.
  std::string mistake() const;
};

enum ArcFeature : Index { kInner = 0, kOuter = 1, kStart = 2, kEnd = 3 };

/// The unsigned distance to the arc with its derivatives.
struct ArcPoint {
  double distance = 0;
  Eigen::Vector2d gradient;
  Eigen::Matrix2d hessian;
  /// Which side of the arc, or which of its ends, is seen from q.
  Index feature = kInner;
  bool regular = true;
};
ArcPoint seen_from(const Arc& arc, const Eigen::Vector2d& q);

/// (d distance/d arc)^T zd + (d gradient/d arc)^T zn for radius, start and end; `at` is seen_from(arc, q).
Vec3 arc_vjp(const Arc& arc, const ArcPoint& at, double zd, const Eigen::Vector2d& zn);

}  // namespace resilin::colliders

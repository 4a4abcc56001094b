// Signed distances [m] of simple shapes, negative inside, and their smooth union: what voxel bodies are built
// of.
#pragma once

#include "core/base/types.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace resilin::meshes {

struct BallShape {
  Vec3 center;
  double radius;
};
/// A box along the axes.
struct BoxShape {
  Vec3 center, half;  ///< half: half of the edge lengths
};
/// A segment thickened by a radius; from = to is a ball.
struct CapsuleShape {
  Vec3 from, to;
  double radius;
};
struct RingShape {
  Vec3 center, axis;  ///< axis: a unit vector
  double major_radius, minor_radius;
};
struct EllipsoidShape {
  Vec3 center;
  Mat3 axes;  ///< columns: directions
  Vec3 radii;
};

inline double distance(const BallShape& s, const Vec3& p) {
  return (p - s.center).norm() - s.radius;
}
inline double distance(const BoxShape& s, const Vec3& p) {
  const Vec3 q = (p - s.center).cwiseAbs() - s.half;
  return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
}
inline double distance(const CapsuleShape& s, const Vec3& p) {
  const Vec3 axis = s.to - s.from;
  const double length2 = axis.squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - s.from).dot(axis) / length2, 0.0, 1.0) : 0.0;
  return (p - s.from - t * axis).norm() - s.radius;
}
inline double distance(const RingShape& s, const Vec3& p) {
  const double along = (p - s.center).dot(s.axis);
  const double across = (p - s.center - along * s.axis).norm();
  return std::hypot(across - s.major_radius, along) - s.minor_radius;
}
/// Of the right sign everywhere, which is all that cells ask for; a lower bound of the distance inside.
inline double distance(const EllipsoidShape& s, const Vec3& p) {
  return ((s.axes.transpose() * (p - s.center)).cwiseQuotient(s.radii).norm() - 1) * s.radii.minCoeff();
}

/// The smaller of two distances, rounded off where they differ by less than `width` [m]: the polynomial
/// smooth minimum min(a, b) - h^2 width / 4 with h = max(0, 1 - |a - b| / width). Surfaces grow by width / 4
/// at most.
inline double smooth_min(double a, double b, double width) {
  const double h = width > 0 ? std::max(0.0, 1 - std::abs(a - b) / width) : 0.0;
  return std::min(a, b) - 0.25 * h * h * width;
}

}  // namespace resilin::meshes

// Whether moving points and triangles, or moving edges, pass through each other on their way.
#pragma once

#include "core/base/types.hpp"

#include <array>

namespace resilin {

/// Four points at the start and at the end of straight ways at constant speeds [m].
struct MovingPoints {
  std::array<Vec3, 4> start, end;
};

/// Earliest time in [0, 1] at which point 0 lies in the triangle of the points 1, 2, 3, or -1. Roots of the
/// cubic at which the four are coplanar (Provot, Collision and self-collision handling in cloth model
/// dedicated to design garments, 1997), each bracketed between extrema of the cubic and found to rounding.
/// What moves within one plane crosses nothing.
RESILIN_API double point_meets_triangle(const MovingPoints& m);
/// The same for the segments from point 0 to 1 and from 2 to 3.
RESILIN_API double segments_meet(const MovingPoints& m);

/// Whether the segment from p to q meets the triangle a, b, c, to rounding; what lies in its plane does not.
RESILIN_API bool segment_crosses_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b,
                                          const Vec3& c);

}  // namespace resilin

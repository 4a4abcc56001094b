// Closest points of points, segments and triangles, with what they are made of.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

enum class SegmentRegion { Start, Inside, End };

struct SegmentPoint {
  Vec3 point;  ///< (1 - s) a + s b [m]
  double s = 0;
  SegmentRegion region = SegmentRegion::Start;
  double squared_distance = 0;  ///< [m^2]
};
/// Of the segment from a to b to p. A segment without length is its start.
RESILIN_API SegmentPoint closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

/// Corner k, the edge from corner k to the next one, or the face.
enum class TriangleRegion { Corner0, Corner1, Corner2, Edge01, Edge12, Edge20, Face };

struct TrianglePoint {
  Vec3 point;    ///< weights[0] a + weights[1] b + weights[2] c [m]
  Vec3 weights;  ///< none below 0, sum 1
  TriangleRegion region = TriangleRegion::Face;
  double squared_distance = 0;  ///< [m^2]
};
/// Of the triangle a, b, c to p. One without area is its edges.
RESILIN_API TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

struct SegmentPair {
  SegmentPoint first, second;   ///< squared_distance is that between the two
  double squared_distance = 0;  ///< [m^2]
  bool parallel = false;        ///< or without length: the closest pair may be one of many, one with an end
};
/// Of the segments a0-a1 and b0-b1.
RESILIN_API SegmentPair closest_of_segments(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

}  // namespace resilin

#include "core/geometry/closest.hpp"

#include <algorithm>
#include <array>

namespace resilin {
namespace {

SegmentPoint at_parameter(const Vec3& p, const Vec3& a, const Vec3& b, double s) {
  if (!(s > 0)) return {a, 0, SegmentRegion::Start, (p - a).squaredNorm()};
  if (s >= 1) return {b, 1, SegmentRegion::End, (p - b).squaredNorm()};
  const Vec3 q = a + s * (b - a);
  return {q, s, SegmentRegion::Inside, (p - q).squaredNorm()};
}

/// A point of edge k of the triangle.
TrianglePoint on_edge(const SegmentPoint& q, int k) {
  const int next = (k + 1) % 3;
  TrianglePoint t{q.point, Vec3::Zero(), TriangleRegion::Face, q.squared_distance};
  t.weights[k] = 1 - q.s;
  t.weights[next] = q.s;
  t.region = static_cast<TriangleRegion>(q.region == SegmentRegion::Inside  ? 3 + k
                                         : q.region == SegmentRegion::Start ? k
                                                                            : next);
  return t;
}

}  // namespace

SegmentPoint closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length2 = along.squaredNorm();
  return at_parameter(p, a, b, length2 > 0 ? (p - a).dot(along) / length2 : 0);
}

TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const std::array<Vec3, 3> x{a, b, c};
  const Vec3 n = (b - a).cross(c - a);
  const double n2 = n.squaredNorm();
  const double longest2 = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  // Below this height over the longest edge the normal is rounding.
  const bool flat = !(n2 > 1e-28 * longest2 * longest2);
  Vec3 w = Vec3::Constant(-1);
  if (!flat)
    for (int k = 0; k < 3; ++k) {
      const Vec3 &from = x[static_cast<std::size_t>((k + 1) % 3)],
                 &to = x[static_cast<std::size_t>((k + 2) % 3)];
      w[k] = n.dot((to - from).cross(p - from)) / n2;
    }
  if (w.minCoeff() > 0) {
    w /= w.sum();
    const Vec3 q = w[0] * a + w[1] * b + w[2] * c;
    return {q, w, TriangleRegion::Face, (p - q).squaredNorm()};
  }
  // From outside the closest point lies on an edge that p is beyond: a corner's weight is negative there.
  TrianglePoint best;
  bool found = false;
  for (int k = 0; k < 3; ++k) {
    if (w[(k + 2) % 3] > 0) continue;
    const SegmentPoint q =
        closest_on_segment(p, x[static_cast<std::size_t>(k)], x[static_cast<std::size_t>((k + 1) % 3)]);
    if (found && !(q.squared_distance < best.squared_distance)) continue;
    best = on_edge(q, k);
    found = true;
  }
  return best;
}

SegmentPair closest_of_segments(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 u = a1 - a0, v = b1 - b0, gap = a0 - b0;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double det = u.cross(v).squaredNorm();
  SegmentPair pair;
  pair.parallel = !(det > 1e-20 * uu * vv);
  if (!pair.parallel) {
    const double s = (uv * v.dot(gap) - vv * u.dot(gap)) / det, t = (uu * v.dot(gap) - uv * u.dot(gap)) / det;
    if (s > 0 && s < 1 && t > 0 && t < 1) {
      const Vec3 p = a0 + s * u, q = b0 + t * v;
      pair.squared_distance = (p - q).squaredNorm();
      pair.first = {p, s, SegmentRegion::Inside, pair.squared_distance};
      pair.second = {q, t, SegmentRegion::Inside, pair.squared_distance};
      return pair;
    }
  }
  // The squared distance is convex in both parameters: else its minimum has an end of one of the segments.
  bool found = false;
  const auto take = [&](const SegmentPoint& first, const SegmentPoint& second, double squared) {
    if (found && !(squared < pair.squared_distance)) return;
    found = true;
    pair.first = first;
    pair.second = second;
    pair.squared_distance = pair.first.squared_distance = pair.second.squared_distance = squared;
  };
  for (const double end : {0.0, 1.0}) {
    const SegmentPoint on_b = closest_on_segment(end == 0 ? a0 : a1, b0, b1);
    take(at_parameter(a0, a0, a1, end), on_b, on_b.squared_distance);
    const SegmentPoint on_a = closest_on_segment(end == 0 ? b0 : b1, a0, a1);
    take(on_a, at_parameter(b0, b0, b1, end), on_a.squared_distance);
  }
  return pair;
}

}  // namespace resilin

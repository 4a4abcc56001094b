#include "core/geometry/closest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace resilin {
namespace {

const Vec3 kA(0, 0, 0), kB(2, 0, 0), kC(0, 1, 0);

/// Smallest squared distance over a fine grid of a triangle (or, with b = c, of a segment).
double sampled(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, int n = 200) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j) {
      const Vec3 q = (double(i) * a + double(j) * b + double(n - i - j) * c) / n;
      least = std::min(least, (p - q).squaredNorm());
    }
  return least;
}

TEST(ClosestOnSegment, NamesItsRegions) {
  const SegmentPoint start = closest_on_segment({-1, 1, 0}, kA, kB),
                     inside = closest_on_segment({0.5, 1, 0}, kA, kB),
                     end = closest_on_segment({3, 0, 1}, kA, kB);
  EXPECT_EQ(start.region, SegmentRegion::Start);
  EXPECT_EQ(start.point, kA);
  EXPECT_EQ(start.squared_distance, 2);
  EXPECT_EQ(inside.region, SegmentRegion::Inside);
  EXPECT_EQ(inside.s, 0.25);
  EXPECT_EQ(inside.point, Vec3(0.5, 0, 0));
  EXPECT_EQ(end.region, SegmentRegion::End);
  EXPECT_EQ(end.point, kB);
  EXPECT_EQ(end.s, 1);
}

TEST(ClosestOnSegment, WithoutLengthIsItsStart) {
  const SegmentPoint q = closest_on_segment({3, 4, 0}, kA, kA);
  EXPECT_EQ(q.region, SegmentRegion::Start);
  EXPECT_EQ(q.squared_distance, 25);
}

TEST(ClosestOnTriangle, NamesItsSevenRegions) {
  const auto region = [](const Vec3& p) { return closest_on_triangle(p, kA, kB, kC).region; };
  EXPECT_EQ(region({-1, -1, 1}), TriangleRegion::Corner0);
  EXPECT_EQ(region({4, 0.1, 1}), TriangleRegion::Corner1);
  EXPECT_EQ(region({0.1, 3, -1}), TriangleRegion::Corner2);
  EXPECT_EQ(region({1, -1, 1}), TriangleRegion::Edge01);
  EXPECT_EQ(region({1.5, 1.5, 1}), TriangleRegion::Edge12);
  EXPECT_EQ(region({-1, 0.5, 0}), TriangleRegion::Edge20);
  EXPECT_EQ(region({0.5, 0.3, 7}), TriangleRegion::Face);
  const TrianglePoint face = closest_on_triangle({0.5, 0.25, 7}, kA, kB, kC);
  EXPECT_LT((face.point - Vec3(0.5, 0.25, 0)).norm(), 1e-15);
  EXPECT_LT((face.weights - Vec3(0.5, 0.25, 0.25)).norm(), 1e-15);
  EXPECT_NEAR(face.squared_distance, 49, 1e-13);
}

TEST(ClosestOnTriangle, IsNoFartherThanAnySampleAndMadeOfItsWeights) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  const auto point = [&] { return Vec3(normal(engine), normal(engine), normal(engine)); };
  std::array<int, 7> seen{};
  for (int trial = 0; trial < 400; ++trial) {
    const Vec3 a = point(), b = point(), c = point(), p = 2 * point();
    const TrianglePoint q = closest_on_triangle(p, a, b, c);
    ++seen[static_cast<std::size_t>(q.region)];
    EXPECT_GE(q.weights.minCoeff(), 0);
    EXPECT_NEAR(q.weights.sum(), 1, 1e-14);
    EXPECT_LT((q.weights[0] * a + q.weights[1] * b + q.weights[2] * c - q.point).norm(), 1e-13);
    EXPECT_NEAR((p - q.point).squaredNorm(), q.squared_distance, 1e-14);
    const double least = sampled(p, a, b, c, 60);
    EXPECT_LE(q.squared_distance, least + 1e-12);
    EXPECT_GE(std::sqrt(q.squared_distance), std::sqrt(least) - 0.1) << "samples are that far apart";
  }
  for (const int count : seen) EXPECT_GT(count, 5);
}

TEST(ClosestOnTriangle, OfATriangleWithoutAreaIsThatOfItsEdges) {
  const Vec3 p(0.7, 1, 0.5);
  for (const Vec3& c : {Vec3(1, 0, 0), Vec3(5, 0, 0), Vec3(-1, 0, 0), kA, kB}) {
    const TrianglePoint q = closest_on_triangle(p, kA, kB, c);
    EXPECT_LT((q.point - Vec3(0.7, 0, 0)).norm(), 1e-14);
    EXPECT_TRUE(q.weights.allFinite());
    EXPECT_NE(q.region, TriangleRegion::Face);
  }
  const TrianglePoint point = closest_on_triangle(p, kB, kB, kB);
  EXPECT_EQ(point.point, kB);
  // A sliver of height 1e-17: its normal is rounding.
  EXPECT_LT((closest_on_triangle(p, kA, kB, {1, 1e-17, 0}).point - Vec3(0.7, 0, 0)).norm(), 1e-14);
}

TEST(ClosestOfSegments, CrossingOnesMeetInside) {
  const SegmentPair pair = closest_of_segments({-1, 0, 0}, {3, 0, 0}, {0, -1, 2}, {0, 1, 2});
  EXPECT_FALSE(pair.parallel);
  EXPECT_EQ(pair.first.region, SegmentRegion::Inside);
  EXPECT_EQ(pair.second.region, SegmentRegion::Inside);
  EXPECT_NEAR(pair.first.s, 0.25, 1e-15);
  EXPECT_NEAR(pair.second.s, 0.5, 1e-15);
  EXPECT_NEAR(pair.squared_distance, 4, 1e-14);
}

TEST(ClosestOfSegments, ParallelAndDegenerateOnesAreSolvedByTheirEnds) {
  const SegmentPair overlap = closest_of_segments({0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {5, 1, 0});
  EXPECT_TRUE(overlap.parallel);
  EXPECT_EQ(overlap.squared_distance, 1);
  const SegmentPair apart = closest_of_segments({0, 0, 0}, {2, 0, 0}, {5, 0, 0}, {7, 0, 0});
  EXPECT_TRUE(apart.parallel);
  EXPECT_EQ(apart.squared_distance, 9);
  EXPECT_EQ(apart.first.region, SegmentRegion::End);
  EXPECT_EQ(apart.second.region, SegmentRegion::Start);
  const SegmentPair points = closest_of_segments(kA, kA, kB, kB);
  EXPECT_TRUE(points.parallel);
  EXPECT_EQ(points.squared_distance, 4);
  const SegmentPair half = closest_of_segments({1, 1, 0}, {1, 1, 0}, kA, kB);
  EXPECT_EQ(half.squared_distance, 1);
  EXPECT_EQ(half.second.s, 0.5);
}

TEST(ClosestOfSegments, IsNoFartherThanAnySample) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  const auto point = [&] { return Vec3(normal(engine), normal(engine), normal(engine)); };
  int inside = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Vec3 a0 = point(), a1 = point(), b0 = point(), b1 = point();
    const SegmentPair pair = closest_of_segments(a0, a1, b0, b1);
    inside +=
        pair.first.region == SegmentRegion::Inside && pair.second.region == SegmentRegion::Inside ? 1 : 0;
    EXPECT_NEAR((pair.first.point - pair.second.point).squaredNorm(), pair.squared_distance, 1e-13);
    EXPECT_LT((a0 + pair.first.s * (a1 - a0) - pair.first.point).norm(), 1e-13);
    EXPECT_LT((b0 + pair.second.s * (b1 - b0) - pair.second.point).norm(), 1e-13);
    for (int i = 0; i <= 50; ++i) {
      const Vec3 p = a0 + i / 50.0 * (a1 - a0);
      EXPECT_LE(pair.squared_distance, closest_on_segment(p, b0, b1).squared_distance + 1e-12);
    }
    // Roles exchanged: the same pair.
    const SegmentPair other = closest_of_segments(b0, b1, a0, a1);
    EXPECT_NEAR(other.squared_distance, pair.squared_distance, 1e-12);
  }
  EXPECT_GT(inside, 20);
}

}  // namespace
}  // namespace resilin

// Points through triangles and edges through edges, against a fine sampling of the ways.
#include "core/geometry/crossing.hpp"

#include "tests/support/components.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

MovingPoints random_ways(unsigned seed, double spread) {
  const VecX r = random_vector(24, seed);
  MovingPoints m;
  for (std::size_t k = 0; k < 4; ++k) {
    m.start[k] = r.segment<3>(static_cast<Index>(3 * k));
    m.end[k] = m.start[k] + spread * r.segment<3>(static_cast<Index>(12 + 3 * k));
  }
  return m;
}

double volume(const MovingPoints& m, double t) {
  std::array<Vec3, 4> x;
  for (std::size_t k = 0; k < 4; ++k) x[k] = m.start[k] + t * (m.end[k] - m.start[k]);
  return (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
}

TEST(Crossing, APointThatFallsThroughATriangle) {
  const MovingPoints m{{Vec3(0.2, 0.2, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                       {Vec3(0.2, 0.2, -3), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
  EXPECT_NEAR(point_meets_triangle(m), 0.25, 1e-12);
  MovingPoints beside = m;
  for (auto* ends : {&beside.start, &beside.end}) (*ends)[0].x() = 0.9;
  EXPECT_EQ(point_meets_triangle(beside), -1);
  MovingPoints together = m;  // moves with it
  for (std::size_t k = 1; k < 4; ++k) together.end[k].z() = -4;
  EXPECT_EQ(point_meets_triangle(together), -1);
}

TEST(Crossing, EdgesThatPassThroughEachOther) {
  const MovingPoints m{{Vec3(-1, 0, 1), Vec3(1, 0, 1), Vec3(0, -1, 0), Vec3(0, 1, 0)},
                       {Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, -1, 0), Vec3(0, 1, 0)}};
  EXPECT_NEAR(segments_meet(m), 0.5, 1e-12);
  MovingPoints beside = m;
  for (auto* ends : {&beside.start, &beside.end})
    for (const std::size_t k : {0u, 1u}) (*ends)[k].x() += 1.5;
  EXPECT_EQ(segments_meet(beside), -1);
}

TEST(Crossing, WhatMovesWithinAPlaneCrossesNothing) {
  const MovingPoints m{{Vec3(-1, 0.2, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                       {Vec3(2, 0.2, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
  EXPECT_EQ(point_meets_triangle(m), -1);
  EXPECT_EQ(segments_meet(m), -1);
}

/// Whether the point is in the triangle, or the segments meet, where the four points are in one plane.
bool meets(const MovingPoints& m, double t, bool edges) {
  std::array<Vec3, 4> x;
  for (std::size_t k = 0; k < 4; ++k) x[k] = m.start[k] + t * (m.end[k] - m.start[k]);
  Eigen::Matrix<double, 3, 2> g;
  g << (edges ? Vec3(x[1] - x[0]) : Vec3(x[2] - x[1])), (edges ? Vec3(x[2] - x[3]) : Vec3(x[3] - x[1]));
  const Vec3 b = edges ? Vec3(x[2] - x[0]) : Vec3(x[0] - x[1]);
  const Eigen::Vector2d s = (g.transpose() * g).ldlt().solve(g.transpose() * b);
  return s.minCoeff() > 0 && (edges ? s.maxCoeff() < 1 : s.sum() < 1);
}

TEST(Crossing, AgreesWithAFineSamplingOfTheWays) {
  int found = 0, none = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const MovingPoints m = random_ways(seed, seed % 2 ? 2 : 0.7);
    for (const bool edges : {false, true}) {
      double expected = -1;
      constexpr int kSamples = 4000;
      for (int k = 0; k < kSamples && expected < 0; ++k) {
        const double a = double(k) / kSamples, b = double(k + 1) / kSamples;
        if (volume(m, a) * volume(m, b) < 0 && meets(m, 0.5 * (a + b), edges)) expected = 0.5 * (a + b);
      }
      const double t = edges ? segments_meet(m) : point_meets_triangle(m);
      if (expected < 0) {
        EXPECT_EQ(t, -1) << seed;
        ++none;
      } else {
        EXPECT_NEAR(t, expected, 1.0 / kSamples) << seed;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(none, 50);
}

}  // namespace
}  // namespace resilin::test

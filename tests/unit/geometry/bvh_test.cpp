#include "core/geometry/bvh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace resilin {
namespace {

Vec3 random_point(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  return {normal(engine), normal(engine), normal(engine)};
}

/// Small boxes, many of them with equal middles.
std::vector<Box3> random_boxes(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<Box3> boxes;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 middle = i % 3 == 0 ? Vec3(0.5, 0.25, 0) : random_point(engine);
    const Vec3 half = 0.1 * random_point(engine).cwiseAbs();
    boxes.emplace_back(middle - half, middle + half);
  }
  return boxes;
}

TEST(Bvh, FindsTheNearestAsBruteForceDoesToTheSameBits) {
  for (const std::size_t n : {1U, 4U, 5U, 17U, 500U}) {
    const std::vector<Box3> boxes = random_boxes(n, 7);
    const Bvh tree(boxes);
    EXPECT_EQ(tree.size(), static_cast<Index>(n));
    std::mt19937_64 engine(11);
    for (int trial = 0; trial < 200; ++trial) {
      // Inside several boxes the distance is 0 for all of them: the smallest number wins.
      const Vec3 p = trial % 4 == 0 ? Vec3(0.5, 0.25, 0) : random_point(engine);
      Index expected = -1;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < n; ++i)
        if (const double d = boxes[i].squaredExteriorDistance(p); d < least) {
          least = d;
          expected = static_cast<Index>(i);
        }
      EXPECT_EQ(
          tree.closest(
              p, [&](Index i) { return boxes[static_cast<std::size_t>(i)].squaredExteriorDistance(p); }),
          expected);
    }
  }
}

TEST(Bvh, LooksAtFewItems) {
  std::vector<Box3> boxes;
  for (int i = 0; i < 100000; ++i) {
    const Vec3 p(i % 400, i / 400, 0);
    boxes.emplace_back(p, p + Vec3(1, 1, 0));
  }
  const Bvh tree(boxes);
  int looked_at = 0;
  const Vec3 p(133.3, 77.7, 0.5);
  const Index found = tree.closest(p, [&](Index i) {
    ++looked_at;
    return boxes[static_cast<std::size_t>(i)].squaredExteriorDistance(p);
  });
  EXPECT_EQ(found, 77 * 400 + 133);
  EXPECT_LT(looked_at, 40);
}

TEST(Bvh, ListsOverlapsAndRaysAsBruteForceDoes) {
  const std::vector<Box3> boxes = random_boxes(300, 3);
  const Bvh tree(boxes);
  std::mt19937_64 engine(13);
  std::size_t total = 0, on_rays = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 p = random_point(engine), half = 0.3 * random_point(engine).cwiseAbs();
    const Box3 probe(p - half, p + half);
    std::vector<Index> expected, found;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].intersects(probe)) expected.push_back(static_cast<Index>(i));
    tree.for_each_overlap(probe, [&](Index i) { found.push_back(i); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    std::vector<Index> expected_near, near;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].exteriorDistance(p) <= 0.3) expected_near.push_back(static_cast<Index>(i));
    tree.for_each_within(p, 0.3, [&](Index i) { near.push_back(i); });
    std::sort(near.begin(), near.end());
    EXPECT_EQ(near, expected_near);
    total += expected.size();

    Vec3 direction = boxes[static_cast<std::size_t>(trial)].center() - p;
    if (trial % 5 == 0) direction[trial % 3] = 0;
    std::vector<char> listed(boxes.size(), 0);
    tree.for_each_on_ray(p, direction, [&](Index i) { listed[static_cast<std::size_t>(i)] = 1; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      bool met = false;
      for (int k = 0; k < 4000 && !met; ++k) met = boxes[i].contains((p + 0.002 * k * direction).eval());
      if (met) {
        EXPECT_TRUE(listed[i]) << "trial " << trial << " box " << i;
        ++on_rays;
      }
    }
  }
  EXPECT_GT(total, 100U);
  EXPECT_GT(on_rays, 100U);
}

TEST(Bvh, AnEmptyTreeAndAPointThatIsNoneHaveNoNearest) {
  const auto zero = [](Index) { return 0.0; };
  EXPECT_EQ(Bvh().closest(Vec3::Zero(), zero), -1);
  EXPECT_EQ(Bvh(random_boxes(9, 1)).closest(Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0), zero), -1);
  Bvh().for_each_overlap(unbounded_box(), [](Index) { FAIL(); });
}

}  // namespace
}  // namespace resilin

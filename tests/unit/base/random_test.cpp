#include "core/base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace resilin {
namespace {

// The first numbers of the published SplitMix64 for the seed 1234567.
TEST(Random, IsSplitMix64) {
  Random r(1234567);
  for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                       4593380528125082431ULL, 16408922859458223821ULL})
    EXPECT_EQ(r.next(), expected);
}

TEST(Random, NormalsHaveTheMomentsOfTheNormalDistribution) {
  Random r(3);
  const Index n = 200'000;
  const VecX v = r.normals(n);
  const double count = static_cast<double>(n);
  // Standard deviations of the moments: 1, sqrt(2), sqrt(15), sqrt(96) over sqrt(n).
  EXPECT_NEAR(v.mean(), 0, 4 / std::sqrt(count));
  EXPECT_NEAR(v.array().square().mean(), 1, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(v.array().cube().mean(), 0, 4 * std::sqrt(15 / count));
  EXPECT_NEAR(v.array().square().square().mean(), 3, 4 * std::sqrt(96 / count));
  const double neighbours = (v.head(n - 1).array() * v.tail(n - 1).array()).mean();
  EXPECT_NEAR(neighbours, 0, 4 / std::sqrt(count));
}

TEST(Random, NumbersBelowABoundAreEquallyLikely) {
  Random r(5);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[static_cast<std::size_t>(r.below(7))];
  for (const int c : counts) EXPECT_NEAR(c, 10'000, 4 * std::sqrt(1e4));
}

}  // namespace
}  // namespace resilin

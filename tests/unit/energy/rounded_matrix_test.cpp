#include "core/energy/rounded_matrix.hpp"

#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

/// A chain of nodes with random symmetric blocks of size `size`.
BlockMatrix chain(Index nodes, double size) {
  BlockPattern pattern(nodes);
  for (Index i = 0; i + 1 < nodes; ++i) pattern.add_pair(i, i + 1);
  BlockMatrix h;
  h.reset(std::move(pattern));
  for (Index i = 0; i < nodes; ++i) {
    const Mat3 m = size * random_vector(9, static_cast<unsigned>(i)).reshaped(3, 3);
    h.add_symmetric(i, i, m + m.transpose());
    if (i + 1 < nodes) h.add_symmetric(i, i + 1, m);
  }
  return h;
}

TEST(RoundedMatrix, MultipliesToSinglePrecisionAndHoldsFixedEntriesAtZero) {
  const Index n = 700;  // more than one chunk of rows
  const BlockMatrix h = chain(n, 1e5);
  RoundedMatrix rounded;
  ASSERT_TRUE(rounded.take(h));
  std::vector<char> fixed(static_cast<std::size_t>(3 * n), 0);
  VecX x = random_vector(3 * n, 5), exact(3 * n), y(3 * n);
  for (const Index i : {Index(0), Index(8), 3 * n - 1}) fixed[static_cast<std::size_t>(i)] = 1, x[i] = 0;
  h.multiply(x, exact, fixed);
  rounded.multiply(x, y, fixed);
  EXPECT_LT((y - exact).norm(), 1e-7 * exact.norm());
  EXPECT_GT((y - exact).norm(), 0) << "not rounded at all";
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[8], 0);
  EXPECT_EQ(y[3 * n - 1], 0);
}

TEST(RoundedMatrix, SaysThatValuesAreOutOfItsRange) {
  RoundedMatrix rounded;
  EXPECT_FALSE(rounded.take(chain(5, 1e40)));
  EXPECT_TRUE(rounded.take(chain(5, 1.0)));
}

TEST(BlockMatrix, CountsAsZeroUntilItIsWrittenTo) {
  BlockMatrix h = chain(4, 1.0);
  h.set_zero_lazily();
  EXPECT_FALSE(h.begin_sum(false)) << "who writes some blocks must add to them";
  for (Index k = 0; k < h.num_blocks(); ++k)
    for (int e = 0; e < 9; ++e) EXPECT_EQ(std::as_const(h).block(k)[e], 0);
  h.set_zero_lazily();
  EXPECT_TRUE(h.begin_sum(true));
  EXPECT_FALSE(h.begin_sum(true)) << "it is no longer zero";
  h.set_zero_lazily();
  h.add_symmetric(1, 1, Mat3::Identity());
  EXPECT_EQ(std::as_const(h).block(h.slot(1, 1))[0], 1);
  EXPECT_EQ(std::as_const(h).block(h.slot(0, 0))[0], 0);
}

}  // namespace
}  // namespace resilin::test

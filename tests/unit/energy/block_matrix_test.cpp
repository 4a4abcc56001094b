#include "core/energy/block_matrix.hpp"

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"

#include <gtest/gtest.h>

#include <random>

namespace resilin {
namespace {

MatX dense(const BlockMatrix& h) {
  MatX m = MatX::Zero(3 * h.num_nodes(), 3 * h.num_nodes());
  for (Index i = 0; i < h.num_nodes(); ++i)
    for (Index k = h.row_begin(i); k < h.row_end(i); ++k)
      m.block<3, 3>(3 * i, 3 * static_cast<Index>(h.column(k))) = Eigen::Map<const Mat3>(h.block(k));
  return m;
}

BlockMatrix chain(Index nodes) {
  BlockPattern pattern(nodes);
  for (Index i = 0; i + 1 < nodes; ++i) pattern.add_pair(i, i + 1);
  BlockMatrix h;
  h.reset(std::move(pattern));
  return h;
}

TEST(BlockMatrix, KeepsAPatternSortedWithoutRepetitionAndWithTheDiagonal) {
  BlockPattern pattern(5);
  const int clique[3] = {4, 0, 2};
  pattern.add_clique(clique, 3);
  pattern.add_clique(clique, 3);
  pattern.add_pair(0, 3);
  BlockMatrix h;
  EXPECT_TRUE(h.empty());
  h.reset(std::move(pattern));
  EXPECT_FALSE(h.empty());
  EXPECT_EQ(h.num_nodes(), 5);
  EXPECT_EQ(h.num_blocks(), 9 + 2 + 2);  // the clique, (0,3) and (3,0), diagonals of 1 and 3
  const std::vector<int> row0{0, 2, 3, 4};
  for (Index k = h.row_begin(0); k < h.row_end(0); ++k)
    EXPECT_EQ(h.column(k), row0[static_cast<std::size_t>(k)]);
  EXPECT_EQ(h.row_end(1) - h.row_begin(1), 1);
  EXPECT_TRUE(dense(h).isZero(0));
}

TEST(BlockMatrix, NamesTheNodesOfABlockOutsideThePattern) {
  const BlockMatrix h = chain(4);
  EXPECT_NO_THROW((void)h.slot(1, 2));
  try {
    (void)h.slot(0, 2);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Internal);
    EXPECT_NE(std::string(e.what()).find("nodes 0 and 2"), std::string::npos) << e.what();
  }
}

TEST(BlockMatrix, AddsSymmetricPairsAndDiagonals) {
  BlockMatrix h = chain(3);
  Mat3 b;
  b << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  h.add_symmetric(0, 1, b);
  h.add_symmetric(0, 1, b);
  h.add_symmetric(2, 2, Mat3::Identity());
  h.add_diagonal(Vec3(10, 20, 30));
  MatX expected = MatX::Zero(9, 9);
  expected.block<3, 3>(0, 3) = 2 * b;
  expected.block<3, 3>(3, 0) = 2 * b.transpose();
  expected.diagonal() << 10, 10, 10, 20, 20, 20, 31, 31, 31;
  EXPECT_EQ(dense(h), expected);
  h.set_zero();
  EXPECT_TRUE(dense(h).isZero(0));
}

TEST(BlockMatrix, MultipliesLikeItsDenseFormAndHoldsFixedEntriesAtZero) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  const Index n = 700;  // more than one chunk of rows
  BlockMatrix h = chain(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < std::min(n, i + 2); ++j) {
      Mat3 b;
      for (double& v : b.reshaped()) v = normal(engine);
      h.add_symmetric(i, j, i == j ? Mat3(b + b.transpose()) : b);
    }
  VecX x(3 * n), y = VecX::Constant(3 * n, 5.0);
  for (double& v : x) v = normal(engine);
  std::vector<char> fixed(static_cast<std::size_t>(3 * n), 0);
  for (std::size_t i = 0; i < fixed.size(); i += 5) fixed[i] = 1, x[static_cast<Index>(i)] = 0;
  h.multiply(x, y, fixed);
  VecX expected = dense(h) * x;
  for (std::size_t i = 0; i < fixed.size(); i += 5) expected[static_cast<Index>(i)] = 0;
  EXPECT_LT((y - expected).norm(), 1e-15 * expected.norm() * 10);
  VecX threaded(3 * n);
  set_num_threads(2);
  h.multiply(x, threaded, fixed);
  set_num_threads(1);
  EXPECT_EQ(threaded, y);
}

TEST(BlockMatrix, HasANewPatternIdAfterEveryReset) {
  BlockMatrix a = chain(3), b = chain(3);
  EXPECT_NE(a.pattern_id(), b.pattern_id());
  const std::uint64_t before = a.pattern_id();
  a.set_zero();
  EXPECT_EQ(a.pattern_id(), before);
  a.reset(BlockPattern(3));
  EXPECT_NE(a.pattern_id(), before);
}

}  // namespace
}  // namespace resilin

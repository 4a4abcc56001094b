#include "core/solve/lbfgs.hpp"

#include "tests/support/components.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace resilin::test {
namespace {

constexpr Index kSize = 12;

/// A symmetric positive definite matrix with eigenvalues from 1 to 100.
MatX definite(unsigned seed) {
  const MatX q =
      Eigen::HouseholderQR<MatX>(random_vector(kSize * kSize, seed).reshaped(kSize, kSize)).householderQ();
  return q * VecX::LinSpaced(kSize, 1, 100).asDiagonal() * q.transpose();
}

/// The history of steps s with y = H s.
LbfgsHistory with_steps(const MatX& h, const MatX& steps, Index pairs) {
  LbfgsHistory history;
  history.reset(kSize, pairs);
  for (const auto& s : steps.colwise()) EXPECT_TRUE(history.add(s, h * s));
  return history;
}
MatX as_matrix(LbfgsHistory& history) {
  MatX b(kSize, kSize);
  for (Index k = 0; k < kSize; ++k) {
    VecX column(kSize);
    history.apply([](ConstVec in, MutVec out) { out = in; }, VecX::Unit(kSize, k), column);
    b.col(k) = column;
  }
  return b;
}

TEST(LbfgsHistory, IsThePreconditionerWithoutPairs) {
  LbfgsHistory history;
  for (const Index pairs : {Index(0), Index(3)}) {
    history.reset(kSize, pairs);
    const VecX r = random_vector(kSize, 1);
    VecX out(kSize);
    history.apply([](ConstVec in, MutVec o) { o = 7 * in; }, r, out);
    EXPECT_EQ(out, 7 * r);
  }
}

TEST(LbfgsHistory, IsSymmetricDefiniteAndHoldsTheSecantEquationOfTheLastPair) {
  const MatX h = definite(1), steps = random_vector(4 * kSize, 2).reshaped(kSize, 4);
  LbfgsHistory history = with_steps(h, steps, 4);
  const MatX b = as_matrix(history);
  EXPECT_LT((b - b.transpose()).norm(), 1e-13 * b.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(b).eigenvalues()[0], 0);
  EXPECT_LT((b * h * steps.col(3) - steps.col(3)).norm(), 1e-12 * steps.col(3).norm());
  // Four updates of the unit matrix, from the formula of the BFGS update.
  MatX expected = MatX::Identity(kSize, kSize);
  for (const auto& s : steps.colwise()) {
    const VecX y = h * s;
    const MatX left = MatX::Identity(kSize, kSize) - s * y.transpose() / s.dot(y);
    expected = left * expected * left.transpose() + s * s.transpose() / s.dot(y);
  }
  EXPECT_LT((b - expected).norm(), 1e-12 * expected.norm());
}

TEST(LbfgsHistory, BecomesTheInverseAfterStepsInAllConjugateDirections) {
  const MatX h = definite(3);
  const MatX directions = Eigen::SelfAdjointEigenSolver<MatX>(h).eigenvectors();
  LbfgsHistory history = with_steps(h, directions, kSize);
  EXPECT_LT((as_matrix(history) * h - MatX::Identity(kSize, kSize)).norm(), 1e-11);
}

TEST(LbfgsHistory, ForgetsTheOldestPair) {
  const MatX h = definite(1), steps = random_vector(5 * kSize, 4).reshaped(kSize, 5);
  LbfgsHistory all = with_steps(h, steps, 3), last = with_steps(h, steps.rightCols(3), 3);
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(as_matrix(all), as_matrix(last));
}

TEST(LbfgsHistory, RefusesPairsWithoutPositiveCurvature) {
  LbfgsHistory history;
  history.reset(kSize, 3);
  const VecX s = random_vector(kSize, 1);
  EXPECT_FALSE(history.add(s, -s));
  EXPECT_FALSE(history.add(s, VecX::Zero(kSize)));
  EXPECT_FALSE(history.add(s, VecX::Constant(kSize, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(history.size(), 0);
  EXPECT_TRUE(history.add(s, s));
  EXPECT_EQ(history.size(), 1);
}

}  // namespace
}  // namespace resilin::test

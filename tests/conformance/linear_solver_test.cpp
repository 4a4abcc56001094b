// Every registered sparse factorisation: definite and indefinite systems, several columns, refactorisation.
#include "core/solve/linear_solver.hpp"

#include "core/base/parallel.hpp"
#include "tests/support/components.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A random symmetric matrix with the pattern of a box grid of n^3 nodes; `shift` is added to a dominant
/// diagonal.
SpMat grid_matrix(Index n, double shift, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 0);
  Triplets entries;
  const Index rows = n * n * n;
  VecX diagonal = VecX::Constant(rows, shift);
  for (Index i = 0; i < rows; ++i)
    for (const Index step : {Index(1), n, n * n}) {
      const Index j = i + step;
      if (j >= rows) continue;
      const double value = uniform(engine);
      entries.emplace_back(i, j, value);
      entries.emplace_back(j, i, value);
      diagonal[i] -= value;
      diagonal[j] -= value;
    }
  for (Index i = 0; i < rows; ++i) entries.emplace_back(i, i, diagonal[i]);
  SpMat a(rows, rows);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

class EveryLinearSolver : public ::testing::TestWithParam<std::string> {
 protected:
  EveryLinearSolver() : solver_(make_component<LinearSolver>(GetParam(), {})) {}
  static void expect_solves(Factorization& factor, const SpMat& a, Index columns) {
    const MatX b = random_vector(a.rows() * columns, 9).reshaped(a.rows(), columns);
    MatX x(a.rows(), columns);
    factor.solve(b, x);
    EXPECT_LT((a * x - b).norm(), 1e-10 * b.norm()) << columns << " columns";
  }
  std::unique_ptr<LinearSolver> solver_;
};

TEST_P(EveryLinearSolver, SolvesDefiniteSystemsOfAnyWidthAndRefactorises) {
  for (const Index n : {Index(1), Index(3), Index(9)}) {
    const auto factor = solver_->analyze(grid_matrix(n, 0.1, 1));
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const SpMat a = grid_matrix(n, 0.1, seed);
      ASSERT_EQ(factor->factorize(a), Factorization::Result::PositiveDefinite);
      for (const Index columns : {Index(1), Index(3), Index(2), Index(1)}) expect_solves(*factor, a, columns);
    }
  }
}

TEST_P(EveryLinearSolver, ReportsIndefiniteSystemsAndSolvesThemIfItSaysSo) {
  const auto factor = solver_->analyze(grid_matrix(5, 0.1, 1));
  // The smallest eigenvalue without a shift is zero (the constant vector), so a negative shift is indefinite.
  const SpMat a = grid_matrix(5, -0.37, 2);
  ASSERT_EQ(factor->factorize(a), Factorization::Result::Indefinite);
  if (factor->solves_indefinite()) expect_solves(*factor, a, 3);
  const SpMat definite = grid_matrix(5, 0.1, 3);
  ASSERT_EQ(factor->factorize(definite), Factorization::Result::PositiveDefinite)
      << "after an indefinite one";
  expect_solves(*factor, definite, 3);
}

TEST_P(EveryLinearSolver, ReportsSingularMatrices) {
  const SpMat pattern = grid_matrix(3, 0.1, 1);
  const auto factor = solver_->analyze(pattern);
  const SpMat zero = 0.0 * pattern;
  EXPECT_EQ(factor->factorize(zero), Factorization::Result::Singular);
  // One unknown without any equation.
  SpMat hole = pattern;
  for (Index c = 0; c < hole.outerSize(); ++c)
    for (SpMat::InnerIterator it(hole, c); it; ++it)
      if (it.row() == 13 || it.col() == 13) it.valueRef() = 0;
  EXPECT_EQ(factor->factorize(hole), Factorization::Result::Singular);
  ASSERT_EQ(factor->factorize(pattern), Factorization::Result::PositiveDefinite) << "after a singular one";
  expect_solves(*factor, pattern, 2);
}

TEST_P(EveryLinearSolver, NeverCallsAMatrixOfNaNDefinite) {
  SpMat a = grid_matrix(3, 0.1, 1);
  const auto factor = solver_->analyze(a);
  a.coeffRef(4, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(factor->factorize(a), Factorization::Result::PositiveDefinite);
}

TEST_P(EveryLinearSolver, SaysIndefiniteAtOnceWhenAskedForDefiniteOnly) {
  const auto factor = solver_->analyze(grid_matrix(5, 0.1, 1));
  EXPECT_EQ(factor->factorize(grid_matrix(5, -0.37, 2), true), Factorization::Result::Indefinite);
  SpMat negative = grid_matrix(5, 0.1, 1);
  negative *= -1.0;
  EXPECT_EQ(factor->factorize(negative, true), Factorization::Result::Indefinite);
  const SpMat definite = grid_matrix(5, 0.1, 3);
  ASSERT_EQ(factor->factorize(definite, true), Factorization::Result::PositiveDefinite);
  expect_solves(*factor, definite, 2);
}

TEST_P(EveryLinearSolver, CountsMoreWorkForLargerMatrices) {
  Factorization::Work small;
  for (const Index n : {Index(4), Index(8)}) {
    const SpMat a = grid_matrix(n, 0.1, 1);
    const auto factor = solver_->analyze(a);
    ASSERT_EQ(factor->factorize(a), Factorization::Result::PositiveDefinite);
    const Factorization::Work work = factor->work();
    EXPECT_GT(work.factorize, small.factorize);
    EXPECT_GT(work.solve, small.solve);
    EXPECT_GE(work.solve, 2.0 * static_cast<double>(a.nonZeros())) << "less than a product takes";
    small = work;
  }
}

TEST_P(EveryLinearSolver, SolvesBadlyScaledSystems) {
  // Rows as of a stiff and a soft body in one scene: ten decades apart.
  const SpMat a = grid_matrix(6, 0.1, 1);
  VecX scale(a.rows());
  for (Index i = 0; i < scale.size(); ++i) scale[i] = i < scale.size() / 2 ? 1e5 : 1.0;
  const SpMat scaled = scale.asDiagonal() * a * scale.asDiagonal();
  const auto factor = solver_->analyze(scaled);
  ASSERT_EQ(factor->factorize(scaled), Factorization::Result::PositiveDefinite);
  const VecX expected = random_vector(a.rows(), 3).cwiseQuotient(scale);
  const VecX b = scaled * expected;
  MatX x(a.rows(), 1);
  factor->solve(b, x);
  EXPECT_LT((scaled * x - b).norm(), 1e-10 * b.norm());
}

TEST_P(EveryLinearSolver, PreconditionsLikeASymmetricDefiniteInverse) {
  for (const Index n : {Index(5), Index(16)}) {
    const SpMat a = grid_matrix(n, 0.1, 1);
    const auto factor = solver_->analyze(a);
    for (const double size : {1.0, 1e6, 1e-50}) {  // the last one is below the range of single precision
      const SpMat scaled = size * a;
      ASSERT_EQ(factor->factorize(scaled), Factorization::Result::PositiveDefinite);
      const MatX b = random_vector(a.rows() * 3, 9).reshaped(a.rows(), 3);
      MatX x(a.rows(), 3), exact(a.rows(), 3);
      factor->precondition(b, x);
      factor->solve(b, exact);
      EXPECT_LT((x - exact).norm(), 1e-5 * exact.norm()) << size;
      const MatX form = b.transpose() * x;
      EXPECT_LT((form - form.transpose()).norm(), 1e-6 * form.norm()) << size;
      EXPECT_GT(form.ldlt().vectorD().minCoeff(), 0) << size;
    }
  }
}

TEST_P(EveryLinearSolver, HasTheSameBitsWithTwoThreads) {
  const SpMat a = grid_matrix(16, 0.1, 1);
  const auto factor = solver_->analyze(a);
  ASSERT_EQ(factor->factorize(a), Factorization::Result::PositiveDefinite);
  const MatX b = random_vector(a.rows() * 3, 9).reshaped(a.rows(), 3);
  MatX x[2], z[2];
  for (int threads = 1; threads <= 2; ++threads) {
    set_num_threads(threads);
    x[threads - 1] = z[threads - 1] = b;
    factor->solve(b, x[threads - 1]);
    factor->precondition(b, z[threads - 1]);
  }
  set_num_threads(1);
  EXPECT_EQ(x[0], x[1]);
  EXPECT_EQ(z[0], z[1]);
}

TEST_P(EveryLinearSolver, SolvesEachColumnAsIfAlone) {
  const SpMat a = grid_matrix(9, 0.1, 1);
  const auto factor = solver_->analyze(a);
  ASSERT_EQ(factor->factorize(a), Factorization::Result::PositiveDefinite);
  const MatX b = random_vector(a.rows() * 7, 9).reshaped(a.rows(), 7);
  MatX together(a.rows(), 7), alone(a.rows(), 1);
  factor->solve(b, together);
  for (Index k = 0; k < 7; ++k) {
    factor->solve(b.col(k), alone);
    EXPECT_LT((alone - together.col(k)).norm(), 1e-9 * alone.norm()) << k;
  }
}

TEST(Cholmod, FindsASingularMatrixThatRoundingMakesPositive) {
  // Rows that sum to zero, like the stiffness of a body that nothing holds.
  const auto solver = make_component<LinearSolver>("cholmod", {});
  for (const Index n : {Index(4), Index(9)})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const SpMat a = grid_matrix(n, 0, seed);
      EXPECT_NE(solver->analyze(a)->factorize(a, true), Factorization::Result::PositiveDefinite) << n;
    }
}

class LinearSolverThatIterates : public ::testing::TestWithParam<std::string> {};

TEST_P(LinearSolverThatIterates, ThrowsIfItMissesItsTolerance) {
  const SpMat a = grid_matrix(9, 1e-3, 1);
  const auto patient = make_component<LinearSolver>(GetParam(), {}, {{"relative_tolerance", 1e-3}}),
             hasty = make_component<LinearSolver>(GetParam(), {}, {{"max_iterations", 1}});
  const VecX b = random_vector(a.rows(), 9);
  MatX x(a.rows(), 1);
  const auto loose = patient->analyze(a), tight = hasty->analyze(a);
  ASSERT_EQ(loose->factorize(a), Factorization::Result::PositiveDefinite);
  loose->solve(b, x);
  const double residual = (a * x - b).norm() / b.norm();
  EXPECT_LT(residual, 1e-3);
  EXPECT_GT(residual, 1e-11) << "the tolerance has no effect";
  // It cannot tell that the matrix is definite, and does not claim so.
  EXPECT_EQ(tight->factorize(a), Factorization::Result::Singular);
  try {
    tight->solve(b, x);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_THAT(e.message(), ::testing::HasSubstr("linear_solver " + GetParam() + " did not converge"));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, LinearSolverThatIterates, ::testing::Values("cg_ic", "eigen_llt_mixed"));

INSTANTIATE_TEST_SUITE_P(Registry, EveryLinearSolver, ::testing::ValuesIn(registry().types("linear_solver")));

}  // namespace
}  // namespace resilin::test

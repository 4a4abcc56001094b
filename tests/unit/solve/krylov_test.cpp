#include "core/solve/krylov.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace resilin {
namespace {

using Stop = KrylovReport::Stop;

/// Q diag(spectrum) Q^T with a random orthogonal Q.
MatX with_spectrum(const VecX& spectrum) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  MatX m(spectrum.size(), spectrum.size());
  for (double& v : m.reshaped()) v = normal(engine);
  const MatX q = Eigen::HouseholderQR<MatX>(m).householderQ();
  return q * spectrum.asDiagonal() * q.transpose();
}
VecX right_side(Index n) {
  VecX b(n);
  for (Index i = 0; i < n; ++i) b[i] = std::sin(3.0 * double(i) + 1);
  return b;
}

class Krylov : public ::testing::Test {
 protected:
  KrylovReport cg(const MatX& h, const MatX& p, const VecX& b, VecX& x, double tolerance, Index limit = 1000,
                  bool warm = false) {
    const auto multiply = [&](ConstVec in, MutVec out) { out = h * in; };
    const LinearMap exact = multiply;
    return conjugate_gradients(
        multiply, [&](ConstVec in, MutVec out) { out = p * in; }, &exact, b, x, warm, tolerance, limit,
        scratch_);
  }
  KrylovReport mr(const MatX& h, const MatX& p, const VecX& b, VecX& x, double tolerance,
                  Index limit = 1000) {
    return minres([&](ConstVec in, MutVec out) { out = h * in; },
                  [&](ConstVec in, MutVec out) { out = p * in; }, b, x, tolerance, limit, scratch_);
  }
  KrylovScratch scratch_;
};

TEST_F(Krylov, EndsAfterAsManyIterationsAsThereAreDistinctEigenvalues) {
  VecX s(40);
  for (Index i = 0; i < 40; ++i) s[i] = std::vector<double>{1, 3, 10, 50}[static_cast<std::size_t>(i % 4)];
  const MatX h = with_spectrum(s), id = MatX::Identity(40, 40);
  const VecX b = right_side(40), expected = h.ldlt().solve(b);
  VecX x(40);
  KrylovReport r = cg(h, id, b, x, 1e-11);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_EQ(r.iterations, 4);
  EXPECT_LT((x - expected).norm(), 1e-10);
  for (Index i = 0; i < 40; i += 8) s[i] = -7;  // five distinct eigenvalues of both signs
  const MatX indefinite = with_spectrum(s);
  r = mr(indefinite, id, b, x, 1e-11);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_LE(r.iterations, 8);
  EXPECT_LT((indefinite * x - b).norm(), 1e-11);
}

TEST_F(Krylov, ReportsTheTrueResidualAndMeetsTheTolerance) {
  VecX s(60);
  for (Index i = 0; i < 60; ++i) s[i] = std::pow(10.0, double(i) / 15);  // condition 1e4
  const MatX h = with_spectrum(s), id = MatX::Identity(60, 60);
  const VecX b = right_side(60);
  for (const double tolerance : {1e-2, 1e-6, 1e-9}) {
    VecX x(60);
    const KrylovReport a = cg(h, id, b, x, tolerance);
    EXPECT_EQ(a.stop, Stop::Converged);
    EXPECT_LT((b - h * x).norm(), tolerance * 1.001);
    EXPECT_NEAR(a.residual, (b - h * x).norm(), 1e-3 * a.residual + 1e-11);
    const KrylovReport m = mr(h, id, b, x, tolerance);
    EXPECT_EQ(m.stop, Stop::Converged);
    EXPECT_LT((b - h * x).norm(), tolerance * 1.001);
    EXPECT_NEAR(m.residual, (b - h * x).norm(), 1e-3 * m.residual + 1e-11);
  }
}

TEST_F(Krylov, AnExactPreconditionerNeedsOneIteration) {
  VecX s(30);
  for (Index i = 0; i < 30; ++i) s[i] = 1 + double(i) * double(i);
  const MatX h = with_spectrum(s), p = h.inverse();
  const VecX b = right_side(30);
  VecX x(30);
  EXPECT_EQ(cg(h, p, b, x, 1e-8).iterations, 1);
  const KrylovReport r = mr(h, p, b, x, 1e-8);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_LE(r.iterations, 2);
  EXPECT_LT((h * x - b).norm(), 1e-8);
}

TEST_F(Krylov, ANearbyPreconditionerHelpsOnADefiniteAndAnIndefiniteMatrix) {
  VecX s(80), t(80);
  for (Index i = 0; i < 80; ++i)
    s[i] = std::pow(10.0, double(i) / 16), t[i] = s[i] * (1 + 0.3 * std::sin(double(i)));
  const MatX h = with_spectrum(s), p = with_spectrum(t.cwiseInverse()), id = MatX::Identity(80, 80);
  const VecX b = right_side(80);
  VecX x(80);
  EXPECT_LT(3 * cg(h, p, b, x, 1e-8).iterations, cg(h, id, b, x, 1e-8).iterations);
  VecX negative = s;
  negative[0] = -3, negative[1] = -0.5;
  const MatX indefinite = with_spectrum(negative);
  const KrylovReport r = mr(indefinite, p, b, x, 1e-8);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_LT((indefinite * x - b).norm(), 1e-8);
  EXPECT_LT(3 * r.iterations, mr(indefinite, id, b, x, 1e-8).iterations);
}

TEST_F(Krylov, ConjugateGradientsStopAtNegativeCurvatureWithADescentDirection) {
  VecX s = VecX::LinSpaced(30, 1, 10);
  s[3] = -2;
  const MatX h = with_spectrum(s), id = MatX::Identity(30, 30);
  const VecX b = right_side(30);
  VecX x(30);
  const KrylovReport r = cg(h, id, b, x, 1e-10);
  EXPECT_EQ(r.stop, Stop::NegativeCurvature);
  EXPECT_GT(r.iterations, 1);
  EXPECT_GT(b.dot(x), 0);
  EXPECT_NEAR(r.residual, (b - h * x).norm(), 1e-10) << "x is that before the direction";
  const KrylovReport first = cg(-id, id, b, x, 1e-10);
  EXPECT_EQ(first.stop, Stop::NegativeCurvature);
  EXPECT_EQ(first.iterations, 1);
  EXPECT_TRUE(x.isZero(0));
}

TEST_F(Krylov, MinresSolvesNegativeDefiniteMatricesToo) {
  const MatX h = with_spectrum(-VecX::LinSpaced(20, 1, 5)), id = MatX::Identity(20, 20);
  const VecX b = right_side(20);
  VecX x(20);
  const KrylovReport r = mr(h, id, b, x, 1e-10);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_LT((h * x - b).norm(), 1e-10);
}

TEST_F(Krylov, WarmStartContinues) {
  const MatX h = with_spectrum(VecX::LinSpaced(50, 1, 300)), id = MatX::Identity(50, 50);
  const VecX b = right_side(50);
  VecX x(50);
  const Index cold = cg(h, id, b, x, 1e-10).iterations;
  x *= 1 + 1e-6;
  EXPECT_LT(cg(h, id, b, x, 1e-10, 1000, true).iterations, cold);
  EXPECT_EQ(cg(h, id, b, x, 1e-9, 1000, true).iterations, 0) << "already there";
}

TEST_F(Krylov, TheLimitIsKeptAndTheResidualIsThatOfX) {
  const MatX h = with_spectrum(VecX::LinSpaced(50, 1, 1e4)), id = MatX::Identity(50, 50);
  const VecX b = right_side(50);
  VecX x(50);
  const KrylovReport a = cg(h, id, b, x, 1e-12, 5);
  EXPECT_EQ(a.stop, Stop::IterationLimit);
  EXPECT_EQ(a.iterations, 5);
  EXPECT_NEAR(a.residual, (b - h * x).norm(), 1e-10);
  const KrylovReport m = mr(h, id, b, x, 1e-12, 5);
  EXPECT_EQ(m.stop, Stop::IterationLimit);
  EXPECT_NEAR(m.residual, (b - h * x).norm(), 1e-10);
  EXPECT_LE(m.iterations, 5);
}

TEST_F(Krylov, AZeroRightSideIsSolvedByZero) {
  const MatX id = MatX::Identity(4, 4);
  VecX x = VecX::Ones(4);
  EXPECT_EQ(cg(id, id, VecX::Zero(4), x, 0).stop, Stop::Converged);
  EXPECT_TRUE(x.isZero(0));
  x.setOnes();
  EXPECT_EQ(mr(id, id, VecX::Zero(4), x, 0).stop, Stop::Converged);
  EXPECT_TRUE(x.isZero(0));
}

TEST_F(Krylov, NotANumberAndAnIndefinitePreconditionerBreakDown) {
  const MatX id = MatX::Identity(4, 4);
  const VecX b = right_side(4);
  VecX x(4);
  EXPECT_EQ(cg(id, -id, b, x, 1e-10).stop, Stop::Breakdown);
  EXPECT_EQ(mr(id, -id, b, x, 1e-10).stop, Stop::Breakdown);
  VecX bad = b;
  bad[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cg(id, id, bad, x, 1e-10).stop, Stop::Breakdown);
  EXPECT_EQ(mr(id, id, bad, x, 1e-10).stop, Stop::Breakdown);
}

TEST_F(Krylov, ASingularConsistentSystemIsSolvedByMinres) {
  VecX s = VecX::LinSpaced(20, -3, 5);
  s[4] = 0;
  const MatX h = with_spectrum(s), id = MatX::Identity(20, 20);
  const VecX b = h * right_side(20);
  VecX x(20);
  const KrylovReport r = mr(h, id, b, x, 1e-9);
  EXPECT_EQ(r.stop, Stop::Converged);
  EXPECT_LT((h * x - b).norm(), 1e-9);
}

}  // namespace
}  // namespace resilin

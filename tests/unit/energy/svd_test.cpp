#include "core/energy/svd.hpp"

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace resilin {
namespace {

class Svd : public ::testing::Test {
 protected:
  Mat3 random() {
    Mat3 m;
    for (double& v : m.reshaped()) v = normal_(engine_);
    return m;
  }
  Mat3 rotation() {
    Eigen::Quaterniond q(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_));
    return q.normalized().toRotationMatrix();
  }
  Mat3 with_values(const Vec3& s) { return rotation() * s.asDiagonal() * rotation().transpose(); }

  static Svd3Pack decompose(const std::vector<Mat3>& f) {
    Mat3Pack p;
    for (int l = 0; l < kLanes; ++l) set_lane(p, l, f[static_cast<std::size_t>(l) % f.size()]);
    Svd3Pack out;
    batched_svd(&p, &out, 1);
    return out;
  }
  /// Checks the contract for one matrix and returns its singular values.
  static Vec3 expect_svd(const Mat3& f) {
    const Svd3Pack d = decompose({f});
    const Mat3 u = lane(d.u, 2), v = lane(d.v, 2);
    const Vec3 s(d.s[0][2], d.s[1][2], d.s[2][2]);
    const double size = std::max(f.norm(), 1e-300);
    EXPECT_LT((u * s.asDiagonal() * v.transpose() - f).norm(), 4e-15 * size) << f;
    EXPECT_LT((u.transpose() * u - Mat3::Identity()).norm(), 4e-15) << f;
    EXPECT_LT((v.transpose() * v - Mat3::Identity()).norm(), 4e-15) << f;
    EXPECT_NEAR(u.determinant(), 1, 1e-14);
    EXPECT_NEAR(v.determinant(), 1, 1e-14);
    EXPECT_GE(s[0], s[1] - 1e-15 * s[0]);
    EXPECT_GE(s[1], std::abs(s[2]) - 1e-15 * s[0]);
    const Vec3 expected = Eigen::JacobiSVD<Mat3>(f).singularValues();
    EXPECT_LT((s.cwiseAbs() - expected).cwiseAbs().maxCoeff(), 4e-15 * std::max(expected[0], 1e-300)) << f;
    return s;
  }

  std::mt19937_64 engine_{3};
  std::normal_distribution<double> normal_;
};

TEST_F(Svd, RandomMatrices) {
  for (int i = 0; i < 500; ++i) {
    const Mat3 f = random();
    const Vec3 s = expect_svd(f);
    if (std::abs(f.determinant()) > 1e-12) {
      EXPECT_EQ(s[2] < 0, f.determinant() < 0) << f;
    }
  }
}

TEST_F(Svd, MatricesOfAllSizes) {
  for (const double size : {1e-60, 1e-20, 1e-6, 1e6, 1e20, 1e60})
    for (int i = 0; i < 20; ++i) expect_svd(size * random());
}

TEST_F(Svd, NearlySingularMatrices) {
  for (const double small : {1e-3, 1e-8, 1e-12, 1e-16, 0.0})
    for (int i = 0; i < 20; ++i) {
      expect_svd(with_values({2, 1, small}));
      expect_svd(with_values({2, small, 0.5 * small}));
      expect_svd(with_values({2, small, -0.5 * small}));
    }
}

TEST_F(Svd, EqualSingularValues) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_LT((expect_svd(1.3 * rotation()) - Vec3::Constant(1.3)).norm(), 4e-15);
    EXPECT_LT((expect_svd(with_values({2, 2, 0.5})) - Vec3(2, 2, 0.5)).norm(), 1e-14);
    EXPECT_LT((expect_svd(with_values({2, 0.5, 0.5})) - Vec3(2, 0.5, 0.5)).norm(), 1e-14);
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
      expect_svd(with_values({1 + gap, 1, 1 - gap}));
      expect_svd(with_values({2 + gap, 2, 0.1}));
    }
  }
  EXPECT_EQ(expect_svd(Mat3::Identity()), Vec3(1, 1, 1));
}

TEST_F(Svd, DiagonalAndPermutedMatrices) {
  EXPECT_EQ(expect_svd(Vec3(1, 2, 3).asDiagonal()), Vec3(3, 2, 1));
  EXPECT_EQ(expect_svd(Vec3(-1, 2, 3).asDiagonal()), Vec3(3, 2, -1));
  EXPECT_EQ(expect_svd(Vec3(-1, -2, 3).asDiagonal()), Vec3(3, 2, 1));
  Mat3 p;
  p << 0, 0, 2, 3, 0, 0, 0, 1, 0;
  EXPECT_EQ(expect_svd(p), Vec3(3, 2, 1));
}

TEST_F(Svd, ReflectionsGetANegativeLastValueAndTheNearestRotation) {
  for (int i = 0; i < 50; ++i) {
    const Mat3 q = rotation(), f = q * with_values({1.5, 1.0, -0.5});
    const Vec3 s = expect_svd(f);
    EXPECT_LT((s - Vec3(1.5, 1.0, -0.5)).norm(), 1e-14);
    // No other rotation is nearer than U V^T.
    const Svd3Pack d = decompose({f});
    const Mat3 r = lane(d.u, 0) * lane(d.v, 0).transpose();
    for (int k = 0; k < 20; ++k) EXPECT_GE((f - rotation()).norm(), (f - r).norm() - 1e-14);
  }
}

TEST_F(Svd, ZeroMatrix) {
  EXPECT_EQ(expect_svd(Mat3::Zero()), Vec3(0, 0, 0));
}

TEST_F(Svd, NotANumberStaysInItsLane) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Mat3 one = random(), all = Mat3::Constant(nan), infinite = random();
  one(1, 2) = nan;
  infinite(0, 0) = inf;
  const Mat3 good = random();
  const Svd3Pack d = decompose({good, one, all, infinite, good, one, all, infinite}),
                 alone = decompose({good});
  for (int l = 0; l < kLanes; ++l) {
    const bool bad = l % 4 != 0;
    EXPECT_EQ(std::isnan(d.s[0][l]) || std::isnan(d.s[1][l]) || std::isnan(d.s[2][l]), bad) << l;
    EXPECT_EQ((lane(d.u, l) * lane(d.v, l).transpose()).hasNaN(), bad) << l;
  }
  EXPECT_EQ(lane(d.u, 4), lane(alone.u, 4));
  EXPECT_EQ(lane(d.v, 4), lane(alone.v, 4));
}

TEST_F(Svd, ALaneDoesNotDependOnTheOthers) {
  for (int i = 0; i < 50; ++i) {
    const Mat3 f = random();
    const Svd3Pack alone = decompose({f}),
                   mixed = decompose({f, Mat3::Identity(), with_values({1e3, 1, 1e-9}), f});
    EXPECT_EQ(lane(mixed.u, 0), lane(alone.u, 0));
    EXPECT_EQ(lane(mixed.v, 3), lane(alone.v, 3));
    for (const Pack* s : {alone.s, mixed.s}) EXPECT_EQ(s[2][0], alone.s[2][0]);
  }
}

TEST_F(Svd, SeveralPacksAtOnce) {
  std::vector<Mat3Pack> f(5);
  for (Mat3Pack& p : f)
    for (int l = 0; l < kLanes; ++l) set_lane(p, l, random());
  std::vector<Svd3Pack> all(5);
  batched_svd(f.data(), all.data(), 5);
  for (std::size_t p = 0; p < 5; ++p) {
    Svd3Pack one;
    batched_svd(&f[p], &one, 1);
    EXPECT_EQ(std::memcmp(&one, &all[p], sizeof one), 0);
  }
}

}  // namespace
}  // namespace resilin

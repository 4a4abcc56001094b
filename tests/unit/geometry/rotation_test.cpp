#include "core/geometry/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace resilin {
namespace {

TEST(RotationVector, IsTheRotationAboutItsDirectionByItsLength) {
  for (const double angle : {1e-9, 1e-3, 0.29999, 0.30001, 1.0, 3.1, 7.0}) {
    const Vec3 axis = Vec3(1, -2, 0.5).normalized();
    const Mat3 expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((rotation_matrix(angle * axis) - expected).norm(), 4e-15) << angle;
  }
  EXPECT_EQ(rotation_matrix(Vec3::Zero()), Mat3::Identity());
}

TEST(RotationVector, PullsBackAsDifferencesSay) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  for (const double size : {0.0, 1e-6, 0.05, 0.2999, 0.3001, 1.0, 3.0}) {
    Vec3 w(normal(engine), normal(engine), normal(engine));
    w *= size / w.norm();
    const Mat3 z = Mat3::NullaryExpr([&] { return normal(engine); });
    const Vec3 exact = rotation_vjp(w, z);
    const double s = 1e-3;
    for (Index k = 0; k < 3; ++k) {
      const auto at = [&](double step) {
        return rotation_matrix(w + step * Vec3::Unit(k)).cwiseProduct(z).sum();
      };
      const double difference = (8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * s);
      EXPECT_NEAR(exact[k], difference, 2e-11 * z.norm()) << size;
    }
  }
}

TEST(RotationVector, TurnsTheZAxisToAnyOther) {
  for (const Vec3& axis :
       {Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(0.6, 0, 0.8), Vec3(0, 0.6, -0.8)}) {
    const Mat3 r = turn_z_axis_to(axis);
    EXPECT_LT((r.col(2) - axis).norm(), 1e-14);
    EXPECT_LT((r.transpose() * r - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(r.determinant(), 1, 1e-14);
  }
}

}  // namespace
}  // namespace resilin

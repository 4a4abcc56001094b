// Paths of held points: one Hermite segment, B-splines.
#include "tests/support/colliders.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

TEST(Hermite, GoesFromThePlaceByTheDisplacementWithItsTangents) {
  const auto path = made_from_yaml<Motion>("hermite",
                                           "{displacement: [1, 2, -1], start_tangent: [4, 0, 1], "
                                           "end_tangent: [0, -2, 6], start: 0.5, duration: 2}");
  const Vec3 x(0.3, 0.2, 0.1), d(1, 2, -1), m0(4, 0, 1), m1(0, -2, 6);
  EXPECT_EQ(path->position(0.2, x), x);
  EXPECT_EQ(path->velocity(0.2, x), Vec3::Zero());
  EXPECT_EQ(path->position(0.5, x), x);
  EXPECT_LT((path->velocity(0.5, x) - m0 / 2).norm(), 1e-15);
  // Half way: h00 = h01 = 1/2, h10 = -h11 = 1/8.
  EXPECT_LT((path->position(1.5, x) - (x + d / 2 + (m0 - m1) / 8)).norm(), 1e-15);
  EXPECT_LT((path->velocity(2.5 - 1e-9, x) - m1 / 2).norm(), 1e-7);
  EXPECT_LT((path->position(2.5, x) - (x + d)).norm(), 1e-15);
  EXPECT_LT((path->position(9, x) - (x + d)).norm(), 1e-15);
  EXPECT_EQ(path->velocity(9, x), Vec3::Zero());
}

TEST(BSpline, OfFourPointsIsABezierCurve) {
  const auto path = made_from_yaml<Motion>("key_frames",
                                           "{times: [1, 1.5, 2.5, 3], interpolation: b_spline, offsets: "
                                           "[[0, 0, 0], [1, 0, 2], [3, 1, 0], [2, 2, 2]]}");
  Mat3X points(3, 4);
  points << 0, 1, 3, 2, 0, 0, 1, 2, 0, 2, 0, 2;
  for (const double t : {1.0, 1.3, 2.2, 2.9}) {
    const double s = (t - 1) / 2, r = 1 - s;
    const Eigen::Vector4d value(r * r * r, 3 * r * r * s, 3 * r * s * s, s * s * s);
    const Eigen::Vector4d rate(-3 * r * r, 3 * r * r - 6 * r * s, 6 * r * s - 3 * s * s, 3 * s * s);
    EXPECT_LT((path->position(t, Vec3::Zero()) - points * value).norm(), 1e-14) << t;
    EXPECT_LT((path->velocity(t, Vec3::Zero()) - points * rate / 2).norm(), 1e-14) << t;
  }
  EXPECT_LT((path->position(3, Vec3::Zero()) - points.col(3)).norm(), 1e-14);
}

TEST(BSpline, IsTwiceContinuouslyDifferentiableAndPullsBack) {
  const auto path =
      made_from_yaml<Motion>("rotation",
                             "{times: [0, 0.2, 0.3, 0.7, 0.8, 0.9, 1], interpolation: b_spline, "
                             "angles: [0, 1, -1, 2, 0.5, 0, 1], axis: [0, 0, 1]}");
  // Knots inside: (0.2 + 0.3 + 0.7)/3 = 0.4, 0.6 and 0.8.
  const auto angle = [&](double t) {
    const Vec3 p = path->position(t, Vec3::UnitX());
    return std::atan2(p.y(), p.x());
  };
  for (const double knot : {0.4, 0.6, 0.8}) {
    const double h = 1e-5;
    const auto second = [&](double t) { return (angle(t + h) - 2 * angle(t) + angle(t - h)) / (h * h); };
    EXPECT_NEAR(second(knot + 2 * h), second(knot - 2 * h), 0.05) << "of some 20";
    EXPECT_NEAR(
        (angle(knot + h) - angle(knot - h)) / (2 * h),
        path->velocity(knot, Vec3::UnitX()).norm() *
            (path->velocity(knot, Vec3::UnitX()).dot(Vec3(-std::sin(angle(knot)), std::cos(angle(knot)), 0)) >
                     0
                 ? 1
                 : -1),
        1e-5);
  }
  ParameterTable table;
  table.add("motion", [&](ParamVisitor& v) { path->visit_parameters(v); });
  const VecX theta = table.values();
  const Vec3 x(0.4, 0.2, 0), z(0.3, -1, 2);
  for (const double t : {0.0, 0.1, 0.4, 0.55, 0.95}) {
    VecX vjp = VecX::Zero(theta.size()), rate = vjp;
    path->add_param_vjp(t, x, z, vjp);
    path->add_velocity_param_vjp(t, x, z, rate);
    for (Index i = 0; i < theta.size(); ++i) {
      const auto at = [&](double s, bool velocity) {
        table.assign(theta + s * VecX::Unit(theta.size(), i));
        return z.dot(velocity ? path->velocity(t, x) : path->position(t, x));
      };
      EXPECT_LT(difference_gap([&](double s) { return at(s, false); }, vjp[i], 1e-2, 0.1), 1e-9)
          << t << " " << i;
      EXPECT_LT(difference_gap([&](double s) { return at(s, true); }, rate[i], 1e-2, 0.1), 1e-9)
          << t << " " << i;
    }
    table.assign(theta);
  }
}

TEST(BSpline, NeedsFourPoints) {
  try {
    (void)made_from_yaml<Motion>("key_frames",
                                 "{times: [0, 1, 2], interpolation: b_spline, offsets: [[0, 0, 0], "
                                 "[1, 0, 0], [2, 0, 0]]}");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("a B-spline needs at least four control points, not 3"));
  }
}

}  // namespace
}  // namespace resilin::test

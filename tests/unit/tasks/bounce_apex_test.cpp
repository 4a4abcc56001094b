// The apex of a centre that flies and bounces on paper.
#include "tests/unit/tasks/losses.hpp"

#include <cmath>

namespace resilin::test {
namespace {

constexpr double kStep = 0.01, kGravity = 10;

/// A body of four vertices at the corners of a tetrahedron, whose centroid follows a flight with bounces: in
/// flight by the steps of implicit Euler, v -= g h, x += h v; at the frames that are listed v_z changes sign.
class BounceApexTest : public ::testing::Test {
 protected:
  BounceApexTest() : body_(make_box({0.2, 0.2, 0.2}, {1, 1, 1}, ElementType::Hex8)) {}

  void fly(const Vec3& x0, const Vec3& v0, Index steps, const std::vector<Index>& bounces) {
    centres_ = {x0};
    speeds_ = {v0};
    for (Index k = 1; k <= steps; ++k) {
      Vec3 v = speeds_.back() - Vec3(0, 0, kGravity * kStep);
      for (const Index b : bounces)
        if (b == k) v.z() = 0.8 * std::abs(v.z());
      speeds_.push_back(v);
      centres_.emplace_back(centres_.back() + kStep * v);
    }
  }
  Tape tape() const {
    Tape tape;
    const Index n = body_.mesh.num_vertices();
    for (std::size_t k = 0; k < centres_.size(); ++k) {
      State s{VecX(3 * n), VecX(3 * n), kStep * static_cast<double>(k)};
      for (Index i = 0; i < n; ++i) {
        s.x.segment<3>(3 * i) = body_.mesh.vertices.col(i) - Vec3(0.1, 0.1, 0.1) + centres_[k];
        s.v.segment<3>(3 * i) = speeds_[k];
      }
      tape.states.push_back(s);
      tape.frames.push_back(static_cast<Index>(k));
    }
    return tape;
  }
  std::unique_ptr<Loss> loss(const std::string& options) const {
    ComponentSpec spec;
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        parse_tree("loss: {type: bounce_apex, " + options + "}", "test.yaml"),
        [&](ParamVisitor& v) { v.component("loss", "loss", spec, {.doc = "a"}); }, registry(), diagnostics,
        places);
    diagnostics.throw_if_any();
    return registry().make<Loss>(spec, body_.context());
  }
  double value(const std::string& options) const { return observed(*loss(options), tape())->value(); }
  /// Where a flight is highest that starts at frame `from`.
  Vec3 highest(std::size_t from) const {
    std::size_t k = from;
    while (speeds_[k + 1].z() > 0) ++k;
    const double s = speeds_[k].z() / (kGravity * kStep);
    return (1 - s) * centres_[k] + s * centres_[k + 1] +
           Vec3(0, 0, 0.5 * s * (1 - s) * kGravity * kStep * kStep);
  }
  static std::string text(const Vec3& v) {
    return "[" + std::to_string(v.x()) + ", " + std::to_string(v.y()) + ", " + std::to_string(v.z()) + "]";
  }

  SampleBody body_;
  std::vector<Vec3> centres_, speeds_;
};

TEST_F(BounceApexTest, IsWhereTheVelocityVanishes) {
  fly({0.3, 0, 1}, {2, 0.5, 3.03}, 60, {});
  // The parabola: its top after v/g, v^2/2g higher; implicit Euler lags by half a step.
  const Vec3 exact = Vec3(0.3, 0, 1) + 0.303 * Vec3(2, 0.5, 0) + Vec3(0, 0, 3.03 * 3.03 / 20);
  const double h = std::sqrt(2 * value("bounces: 0, target: " + text(exact)));
  EXPECT_LT(h, 0.51 * kStep * 3.03);
  EXPECT_GT(h, 0.4 * kStep * 3.03) << "a test that sees half a step";
  EXPECT_NEAR(value("bounces: 0, target: " + text(exact) + ", axes: [x, y]"), 0, 1e-13) << "not in time";
  EXPECT_LT(value("bounces: 0, target: " + text(highest(0))), 1e-12);
}

TEST_F(BounceApexTest, CountsTheBounces) {
  fly({0, 0, 1}, {1, 0, 0.5}, 200, {50, 130});
  EXPECT_LT(value("bounces: 0, target: " + text(highest(0))), 1e-12);
  EXPECT_LT(value("bounces: 1, target: " + text(highest(50))), 1e-12);
  EXPECT_LT(value("bounces: 2, target: " + text(highest(130))), 1e-12);
  EXPECT_NEAR(value("bounces: 2, target: [" + std::to_string(highest(130).x() - 3) + ", 9, 9], axes: [x]"),
              4.5, 1e-5);
  // Upside down: apexes are where the flight is lowest, and so at the bounces.
  const double lowest = 0.5 * (centres_[49].x() + centres_[50].x());
  EXPECT_NEAR(value("bounces: 0, up: [0, 0, -2], axes: [x], target: [0, 0, 0]"), 0.5 * lowest * lowest,
              kStep);
}

TEST_F(BounceApexTest, IsContinuousWithItsGradientWhereTheApexPassesAFrame) {
  // At v_z = 3 the velocity is zero at a frame: the apex lies in the interval before, or after.
  const auto at = [&](double speed) {
    fly({0, 0, 1}, {2, 0, speed}, 60, {});
    const auto l = loss("bounces: 0, target: [0, 0, 0]");
    const Tape t = tape();
    const auto pass = observed(*l, t);
    double along_z = 0, along_x = 0;  // derivatives by the initial velocity, dx_k/dv = k h, dv_k/dv = 1
    for (std::size_t k = 0; k < t.states.size(); ++k) {
      Adjoint a;
      a.ensure(3 * body_.mesh.num_vertices());
      pass->add_gradient(static_cast<Index>(k), t.states[k], 1, a);
      for (Index i = 0; i < body_.mesh.num_vertices(); ++i) {
        along_x += a.x[3 * i] * static_cast<double>(k) * kStep + a.v[3 * i];
        along_z += a.x[3 * i + 2] * static_cast<double>(k) * kStep + a.v[3 * i + 2];
      }
    }
    return Vec3(pass->value(), along_x, along_z);
  };
  const Vec3 before = at(3 - 1e-7), after = at(3 + 1e-7);
  EXPECT_LT((after - before).norm(), 1e-5);
  EXPECT_GT(before.z(), 0.1);
  // ... and is the gradient: differences over many frames are those of a smooth function.
  const double slope = (at(3.05)[0] - at(2.95)[0]) / 0.1;
  // The height is v^2 / 2g above the start: the third derivative of the loss is 3 (v/g) (1/g).
  EXPECT_NEAR(slope - 3 * 0.3 * 0.1 * 0.05 * 0.05 / 6, at(3)[2], 1e-6);
}

TEST_F(BounceApexTest, AFlightWithoutApexIsNotAdmissible) {
  fly({0, 0, 1}, {1, 0, 0.5}, 60, {50});
  const auto message = [&](const std::string& options) {
    const auto pass = observed(*loss(options + ", target: [0, 0, 0]"), tape());
    std::string text;
    try {
      (void)pass->value();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Numerics);
      text = e.what();
    }
    Adjoint a;
    a.ensure(3 * body_.mesh.num_vertices());
    EXPECT_THROW(pass->add_gradient(60, tape().states[60], 1, a), Error);
    return text;
  };
  EXPECT_EQ(message("bounces: 2"), "there is no apex after bounce 2: 1 bounces in 60 steps");
  EXPECT_EQ(message("bounces: 1"),
            "there is no apex after bounce 1: 1 bounces in 60 steps, and no fall after");
}

}  // namespace
}  // namespace resilin::test

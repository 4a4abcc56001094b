// Every registered collider: its distance is one, and all derivatives are those of what it returns.
#include "tests/support/colliders.hpp"

#include <cctype>

namespace resilin::test {
namespace {

struct Case {
  std::string type;
  bool inside;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& type : registry().types("collider")) {
    cases.push_back({type, false});
    if (has_key(type, "inside")) cases.push_back({type, true});
  }
  return cases;
}

constexpr double kTime = 0.37;
constexpr double kStep = 4e-3;       ///< largest of the differences
constexpr double kTolerance = 1e-7;  ///< relative

class EveryCollider : public ::testing::TestWithParam<Case> {
 protected:
  EveryCollider() : collider_(collider(GetParam().type, askew(GetParam().type, GetParam().inside))) {
    table_.add("collider", [&](ParamVisitor& v) { collider_->visit_parameters(v); });
  }

  /// Around the collider where it is at kTime.
  std::vector<Vec3> points(int count, unsigned seed) const {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    const auto motion = made_from_yaml<Motion>("rigid_motion", motion_keys());
    const Vec3 middle = motion->position(kTime, {0.2, -0.1, 0.3});
    std::vector<Vec3> found;
    for (int i = 0; i < count; ++i)
      found.push_back(middle + 0.9 * Vec3(normal(engine), normal(engine), normal(engine)));
    return found;
  }
  static std::string motion_keys() {
    const std::string all = tumbling(), type = "type: rigid_motion, ";
    return "{" + all.substr(all.find(type) + type.size());
  }
  /// Whether p lies so that all differences along `change` stay on one smooth piece.
  template <class Move>
  bool smooth(const SurfacePoint& here, Move&& moved) const {
    for (const double s : {-2 * kStep, -kStep, -0.2 * kStep, 0.2 * kStep, kStep, 2 * kStep}) {
      const SurfacePoint there = moved(s);
      if (there.feature != here.feature || !there.regular) return false;
      // The medial axis may part what has one feature: no smooth normal turns so fast.
      if ((there.normal - here.normal).norm() > 0.5) return false;
    }
    return here.regular;
  }
  bool smooth_around(const Vec3& p) const {
    const SurfacePoint here = collider_->at(kTime, p);
    for (Index k = 0; k < 3; ++k)
      if (!smooth(here, [&](double s) { return collider_->at(kTime, p + 2 * s * Vec3::Unit(k)); }))
        return false;
    // Curvature that differences of these steps can follow.
    return here.hessian.norm() < 30;
  }

  std::unique_ptr<Collider> collider_;
  ParameterTable table_;
};

/// Largest gap of an entry to its central differences relative to its size, each with its best step.
double worst_gap(const std::function<VecX(double)>& f, const VecX& exact, const VecX& size) {
  VecX best = VecX::Constant(exact.size(), std::numeric_limits<double>::infinity());
  for (double s = kStep; s > 1e-4 * kStep; s *= 0.2) {
    const VecX d = (8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s);
    best = best.cwiseMin((d - exact).cwiseAbs().cwiseQuotient(size));
  }
  return best.maxCoeff();
}

double scalar(const SurfacePoint& s, const SurfaceCotangent& z) {
  return z.distance * s.distance + z.normal.dot(s.normal) + z.velocity.dot(s.velocity);
}

TEST_P(EveryCollider, MeasuresADistance) {
  const std::vector<Vec3> sample = points(400, 1);
  int negative = 0, positive = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const SurfacePoint a = collider_->at(kTime, sample[i]),
                       b = collider_->at(kTime, sample[(i + 1) % sample.size()]);
    EXPECT_NEAR(a.normal.norm(), 1, 1e-12);
    // No two points differ by more than they are apart, and the closest point is on the surface: so d is the
    // distance.
    EXPECT_LE(std::abs(a.distance - b.distance),
              (sample[i] - sample[(i + 1) % sample.size()]).norm() + 1e-12);
    if (a.regular) {
      EXPECT_NEAR(collider_->at(kTime, sample[i] - a.distance * a.normal).distance, 0, 2e-13)
          << sample[i].transpose();
    }
    (a.distance < 0 ? negative : positive) += 1;
  }
  EXPECT_GT(negative, 5);
  EXPECT_GT(positive, 5);
}

TEST_P(EveryCollider, NormalHessianAndVelocityGradientAreDerivatives) {
  int used = 0;
  for (const Vec3& p : points(200, 2)) {
    if (!smooth_around(p)) continue;
    ++used;
    const SurfacePoint here = collider_->at(kTime, p);
    EXPECT_LT((here.hessian - here.hessian.transpose()).norm(), 1e-12 * (1 + here.hessian.norm()));
    EXPECT_LT((here.hessian * here.normal).norm(), 1e-10 * (1 + here.hessian.norm()));
    std::vector<Vec3> directions{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), here.normal};
    directions.push_back(random_vector(3, 17 + static_cast<unsigned>(used)).normalized());
    for (const Vec3& u : directions) {
      const auto along = [&](double step) {
        const SurfacePoint s = collider_->at(kTime, p + step * u);
        VecX all(7);
        all << s.distance, s.normal, s.velocity;
        return all;
      };
      VecX exact(7), size(7);
      exact << here.normal.dot(u), here.hessian * u, here.velocity_gradient * u;
      size << 1, Vec3::Constant(1 + here.hessian.norm()), Vec3::Constant(1 + here.velocity_gradient.norm());
      EXPECT_LT(worst_gap(along, exact, size), kTolerance);
    }
  }
  EXPECT_GE(used, 60) << "too few points to tell";
}

TEST_P(EveryCollider, PullsBackToThePoint) {
  int used = 0;
  for (const Vec3& p : points(200, 3)) {
    if (!smooth_around(p)) continue;
    const VecX r = random_vector(7, 100 + static_cast<unsigned>(++used));
    const SurfaceCotangent z{r[0], r.segment<3>(1), r.segment<3>(4)};
    Mat3X dp = Mat3X::Ones(3, 1);
    VecX dtheta = VecX::Zero(table_.size());
    collider_->add_vjp(kTime, p, {&z, 1}, dp, dtheta);
    const Vec3 exact = dp.col(0) - Vec3::Ones();  // it adds to what is there
    EXPECT_GT(exact.norm(), 0);
    std::vector<Vec3> directions{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), exact.normalized()};
    directions.push_back(random_vector(3, 300 + static_cast<unsigned>(used)).normalized());
    for (const Vec3& u : directions)
      EXPECT_LT(difference_gap([&](double s) { return scalar(collider_->at(kTime, p + s * u), z); },
                               exact.dot(u), kStep, 1 + exact.norm()),
                kTolerance);
  }
  EXPECT_GE(used, 60);
}

TEST_P(EveryCollider, PullsBackToEveryParameter) {
  ASSERT_EQ(table_.size(), collider_->num_parameters());
  const VecX theta = table_.values();
  const auto set = [&](const VecX& values) {
    table_.assign(values);
    collider_->parameters_changed();
  };
  VecX seen = VecX::Zero(theta.size());
  const int wanted = theta.size() < 40 ? 20 : 6;  // each new height makes a new surface
  int used = 0;
  for (const Vec3& p : points(90, 4)) {
    if (used >= wanted) break;
    if (!smooth_around(p)) continue;
    ++used;
    const VecX r = random_vector(7, 500 + static_cast<unsigned>(used));
    const SurfaceCotangent z{r[0], r.segment<3>(1), r.segment<3>(4)};
    Mat3X dp = Mat3X::Zero(3, 1);
    VecX exact = VecX::Ones(theta.size());
    collider_->add_vjp(kTime, p, {&z, 1}, dp, exact);
    exact -= VecX::Ones(theta.size());
    const SurfacePoint here = collider_->at(kTime, p);
    std::vector<VecX> directions{exact.normalized(), random_vector(theta.size(), 700).normalized()};
    // Of many heights few matter at one place; of those that do not, some are looked at.
    std::vector<Index> units;
    for (Index i = 0; i < theta.size(); ++i)
      if (exact[i] != 0 || (i + used) % 11 == 0) units.push_back(i);
    for (const Index i : units) directions.push_back(VecX::Unit(theta.size(), i));
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const auto at = [&](double s) {
        set(theta + s * directions[k]);
        const SurfacePoint moved = collider_->at(kTime, p);
        set(theta);
        return moved;
      };
      if (!smooth(here, at)) continue;
      EXPECT_LT(difference_gap([&](double s) { return scalar(at(s), z); }, exact.dot(directions[k]), kStep,
                               1 + exact.norm()),
                kTolerance)
          << "direction " << k;
      if (k >= 2) seen[units[k - 2]] += std::abs(exact[units[k - 2]]);
    }
  }
  EXPECT_EQ(used, wanted);
  for (const ParameterEntry& e : table_.entries())
    EXPECT_GT(seen.segment(e.offset, e.size).norm(), 0) << e.path << " matters nowhere";
}

TEST_P(EveryCollider, AWholeBatchIsTheSumOfItsPoints) {
  const std::vector<Vec3> sample = points(20, 5);
  Mat3X p(3, 20);
  std::vector<SurfacePoint> out(20);
  std::vector<SurfaceCotangent> z(20);
  Mat3X each_dp = Mat3X::Zero(3, 20), dp = each_dp;
  VecX each_dtheta = VecX::Zero(table_.size()), dtheta = each_dtheta;
  for (Index i = 0; i < 20; ++i) {
    const auto k = static_cast<std::size_t>(i);
    p.col(i) = sample[k];
    const VecX r = random_vector(7, 900 + static_cast<unsigned>(i));
    z[k] = {r[0], r.segment<3>(1), r.segment<3>(4)};
    collider_->add_vjp(kTime, p.col(i), {&z[k], 1}, each_dp.col(i), each_dtheta);
  }
  collider_->query(kTime, p, out);
  collider_->add_vjp(kTime, p, z, dp, dtheta);
  EXPECT_EQ(dp, each_dp);
  EXPECT_LT((dtheta - each_dtheta).norm(), 1e-12 * dtheta.norm());
  for (std::size_t k = 0; k < 20; ++k) {
    const SurfacePoint one = collider_->at(kTime, sample[k]);
    EXPECT_EQ(one.distance, out[k].distance);
    EXPECT_EQ(one.hessian, out[k].hessian);
    EXPECT_EQ(one.velocity, out[k].velocity);
  }
}

TEST_P(EveryCollider, MovesAsItsMaterialDoes) {
  const auto motion = made_from_yaml<Motion>("rigid_motion", motion_keys());
  const Vec3 origin = motion->position(kTime, Vec3::Zero());
  Mat3 turn;
  for (Index k = 0; k < 3; ++k) turn.col(k) = motion->position(kTime, Vec3::Unit(k)) - origin;
  int used = 0;
  for (const Vec3& p : points(60, 6)) {
    if (!smooth_around(p)) continue;
    ++used;
    const SurfacePoint here = collider_->at(kTime, p);
    // The material point that is closest now, where it stands while nothing moves it.
    const Vec3 rest = turn.transpose() * (p - here.distance * here.normal - origin);
    for (Index k = 0; k < 3; ++k)
      EXPECT_LT(difference_gap([&](double s) { return motion->position(kTime + s, rest)[k]; },
                               here.velocity[k], 1e-2, 1),
                1e-9);
    // ... and seen from a resting point the distance changes by it.
    const auto later = [&](double s) { return collider_->at(kTime + s, p); };
    if (smooth(here, later)) {
      EXPECT_LT(difference_gap([&](double s) { return later(s).distance; }, -here.normal.dot(here.velocity),
                               kStep, 1),
                kTolerance);
    }
  }
  EXPECT_GE(used, 20);
}

TEST_P(EveryCollider, IsTheSameShapeWhereverItIs) {
  const std::string& type = GetParam().type;
  std::string placed = sizes_of(type) + (GetParam().inside ? "inside: true\n" : ""), unplaced = placed;
  const Vec3 position(0.5, -2, 1.5), rotation(0.4, -0.7, 0.5), axis(0.48, -0.6, 0.64);
  Mat3 turn = Mat3::Identity();
  placed += "position: [0.5, -2, 1.5]\n";
  if (has_key(type, "rotation")) {
    placed += "rotation: [0.4, -0.7, 0.5]\n";
    turn = Eigen::AngleAxisd(rotation.norm(), rotation.normalized()).toRotationMatrix();
  }
  for (const char* key : {"axis", "normal"})
    if (has_key(type, key)) {
      placed += std::string(key) + ": [0.48, -0.6, 0.64]\n";
      turn = turn * Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix();
    }
  const auto there = collider(type, placed), here = collider(type, unplaced);
  for (const Vec3& y : points(100, 7)) {
    const SurfacePoint a = there->at(0, position + turn * y), b = here->at(0, y);
    EXPECT_NEAR(a.distance, b.distance, 1e-12);
    if (b.regular && a.feature == b.feature) {
      EXPECT_LT((a.normal - turn * b.normal).norm(), 1e-9);
      if (smooth(b, [&](double s) { return here->at(0, y + s * Vec3(0.6, 0, 0.8)); })) {
        EXPECT_LT((a.hessian - turn * b.hessian * turn.transpose()).norm(),
                  1e-8 * (1 + b.hessian.squaredNorm()));
      }
    }
    EXPECT_EQ(a.velocity, Vec3::Zero());
  }
}

TEST_P(EveryCollider, ItsBoundsHoldAllThatIsForbiddenDuringAStep) {
  for (const double end : {kTime + 0.05, kTime + 0.5}) {
    const Box3 box = collider_->bounds(kTime, end);
    if (GetParam().inside) {
      EXPECT_FALSE(box.sizes().allFinite());
    }
    int forbidden = 0;
    for (const Vec3& p : points(300, 8))
      for (int k = 0; k <= 7; ++k)
        if (collider_->at(kTime + k / 7.0 * (end - kTime), p).distance <= 0) {
          ++forbidden;
          EXPECT_TRUE(box.contains(p));
        }
    EXPECT_GT(forbidden, 5);
    // And not much more: of a bounded one no side is farther than the whole is large.
    if (box.sizes().allFinite()) {
      EXPECT_LT(box.sizes().maxCoeff(), 5);
    }
  }
}

TEST_P(EveryCollider, APointThatIsNoneGivesNoNumbers) {
  const SurfacePoint s = collider_->at(kTime, {0, std::numeric_limits<double>::quiet_NaN(), 0});
  EXPECT_TRUE(std::isnan(s.distance));
  EXPECT_EQ(s.feature, -1);
  EXPECT_FALSE(s.regular);
}

TEST_P(EveryCollider, RefusesABadPlaceInOneSentence) {
  const auto message = [&](const std::string& yaml) -> std::string {
    try {
      collider(GetParam().type, sizes_of(GetParam().type) + yaml);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Input);
      EXPECT_NE(e.place().line, 0) << e.what();
      return e.message();
    }
    return "accepted";
  };
  EXPECT_NE(message("position: [.nan, 0, 0]").find("thing.position"), std::string::npos);
  EXPECT_NE(message("motion: spin").find("unknown motion 'spin'"), std::string::npos)
      << message("motion: spin");
  EXPECT_NE(message("motion: rotatoin").find("did you mean 'rotation'?"), std::string::npos);
  EXPECT_NE(message("positoin: [0, 0, 0]").find("did you mean 'position'?"), std::string::npos);
  for (const char* key : {"axis", "normal"}) {
    if (!has_key(GetParam().type, key)) continue;
    EXPECT_NE(message(std::string(key) + ": [0, 3, 4]").find("did you mean [0, 0.6, 0.8]?"),
              std::string::npos);
    EXPECT_NE(message(std::string(key) + ": [0, 0, 0]").find("without a direction"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCollider, ::testing::ValuesIn(all_cases()),
                         [](const auto& p) { return p.param.type + (p.param.inside ? "_inside" : ""); });

class EveryMotion : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMotion, VelocityAndItsPullBacksAreDerivatives) {
  static const std::map<std::string, std::string> keys{
      {"hermite",
       "{displacement: [1, 2, -1], start_tangent: [3, 0, 1], end_tangent: [0, -2, 1], start: 0.1, duration: "
       "0.8}"},
      {"key_frames",
       "{times: [0, 0.5, 1], offsets: [[0, 0, 0], [1, 2, -1], [0, 1, 1]], interpolation: cubic}"},
      {"rotation", "{axis: [1, 2, 3], point: [1, 0, -1], rate: 2, times: [0, 0.3, 1], angles: [0, 1, 0.5]}"}};
  const auto found = keys.find(GetParam());
  std::string yaml = found == keys.end() ? "{}" : found->second;
  if (GetParam() == "rigid_motion") yaml = std::string(tumbling()).replace(1, 20, "");
  const auto motion = made_from_yaml<Motion>(GetParam(), yaml);
  ParameterTable table;
  table.add("motion", [&](ParamVisitor& v) { motion->visit_parameters(v); });
  ASSERT_EQ(table.size(), motion->num_parameters());
  const Vec3 x(0.3, -0.4, 0.8), z(0.7, 0.2, -1.1);
  const VecX theta = table.values();
  for (const double t : {0.13, 0.37, 0.71}) {
    if (yaml != "{}") {
      EXPECT_GT(motion->velocity(t, x).norm(), 0);
    }
    for (Index k = 0; k < 3; ++k)
      EXPECT_LT(difference_gap([&](double s) { return motion->position(t + s, x)[k]; },
                               motion->velocity(t, x)[k], 2e-2, 1),
                1e-9);
    VecX dposition = VecX::Zero(theta.size()), dvelocity = dposition;
    motion->add_param_vjp(t, x, z, dposition);
    motion->add_velocity_param_vjp(t, x, z, dvelocity);
    const auto moved = [&](const VecX& at, bool rate) {
      table.assign(at);
      motion->parameters_changed();
      const double value = z.dot(rate ? motion->velocity(t, x) : motion->position(t, x));
      table.assign(theta);
      motion->parameters_changed();
      return value;
    };
    for (Index i = 0; i < theta.size(); ++i) {
      const VecX u = VecX::Unit(theta.size(), i);
      EXPECT_LT(difference_gap([&](double s) { return moved(theta + s * u, false); }, dposition[i], 2e-2, 1),
                1e-9)
          << i;
      EXPECT_LT(difference_gap([&](double s) { return moved(theta + s * u, true); }, dvelocity[i], 2e-2, 1),
                1e-9)
          << i;
    }
    for (Index k = 0; k < 3; ++k) {
      const Vec3 u = Vec3::Unit(k);
      EXPECT_LT(difference_gap([&](double s) { return z.dot(motion->position(t, x + s * u)); },
                               motion->pull_back(t, x, z)[k], 1e-2, 1),
                1e-9);
      EXPECT_LT(difference_gap([&](double s) { return z.dot(motion->velocity(t, x + s * u)); },
                               motion->pull_back_velocity(t, x, z)[k], 1e-2, 1),
                1e-9);
    }
  }
  // Before the first key and after the last one key frames rest.
  if (GetParam() == "key_frames") {
    EXPECT_EQ(motion->velocity(1.5, x), Vec3::Zero());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMotion, ::testing::ValuesIn(registry().types("motion")));

}  // namespace
}  // namespace resilin::test

// Every registered material at single points: derivatives, rest state, NaN, independence of the lanes.
#include "core/energy/material_check.hpp"
#include "tests/support/components.hpp"

#include <cstring>

namespace resilin::test {
namespace {

struct MaterialCase {
  std::string type;
  bool soft = false;  ///< E = 3e5 Pa and nu = 0.47 in place of the defaults
  int dimension = 3;  ///< of the elements
};
std::string case_name(const MaterialCase& c) {
  const char* const kinds[] = {"", "_curve", "_surface", ""};
  return c.type + kinds[c.dimension] + (c.soft ? "_soft" : "_default");
}
void PrintTo(const MaterialCase& c, std::ostream* out) {
  *out << case_name(c);
}

std::vector<MaterialCase> all_cases() {
  std::vector<MaterialCase> cases;
  for (const std::string& type : registry().types("material"))
    for (const int dimension : {3, 2, 1})
      if (acts_on(type, dimension))
        for (const bool soft : {false, true}) cases.push_back({type, soft, dimension});
  return cases;
}

class EveryMaterial : public ::testing::TestWithParam<MaterialCase> {
 protected:
  EveryMaterial() : body_(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8)) {
    std::map<std::string, double> values;
    if (GetParam().soft) values = {{"youngs_modulus", 3e5}, {"poissons_ratio", 0.47}};
    material_ = make_component<Material>(GetParam().type, body_.context(), values);
    for (const Field* f : material_->fields())
      for (Index c = 0; c < f->components; ++c) params_.push_back(splat(f->at(0, 0, c)));
  }

  struct Result {
    Pack energy, stress_energy;
    Mat3Pack stress;
    TangentPack tangent;
    std::vector<Pack> vjp;
  };
  Result evaluate(const Mat3Pack& f) const {
    Svd3Pack svd;
    batched_svd(&f, &svd, 1);
    const SampleBatch batch{1, &f, material_->needs_svd() ? &svd : nullptr, params_.data()};
    Result r{splat(0.0), splat(0.0), zero_mat3(), {}, std::vector<Pack>(params_.size(), splat(0.0))};
    for (Pack& c : r.tangent.c) c = splat(0.0);
    material_->add_energy(batch, &r.energy);
    material_->add_stress(batch, &r.stress_energy, &r.stress);
    material_->add_tangent(batch, &r.tangent);
    Mat3Pack w;
    for (int k = 0; k < 9; ++k) w.m[k] = splat(std::sin(k + 1.0));
    material_->add_param_vjp(batch, &w, r.vjp.data());
    return r;
  }
  /// Size of dP/dF at rest [Pa]: the scale of stresses at strains of order one.
  double stiffness() const {
    double largest = 0;
    const Result r = evaluate(same(rest()));
    for (const Pack& c : r.tangent.c) largest = std::max(largest, std::abs(c[0]));
    return largest;
  }
  /// F at rest: normals go to zero.
  static Mat3 rest() {
    Mat3 f = Mat3::Identity();
    f.rightCols(3 - GetParam().dimension).setZero();
    return f;
  }
  static Mat3Pack same(const Mat3& f) {
    Mat3Pack p;
    for (int l = 0; l < kLanes; ++l) set_lane(p, l, f);
    return p;
  }
  static Mat3Pack different() {
    Mat3Pack p;
    for (int l = 0; l < kLanes; ++l) {
      const VecX v = random_vector(9, static_cast<unsigned>(l + 1));
      set_lane(p, l, (Mat3::Identity() + 0.1 * Eigen::Map<const Mat3>(v.data())) * rest());
    }
    return p;
  }
  /// Names of the results of which a lane differs in any bit.
  static std::string differences(const Result& a, const Result& b, int lane) {
    std::string names;
    const auto compare = [&](const char* name, const Pack* p, const Pack* q, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) {
        const double x = p[k][lane], y = q[k][lane];
        if (std::memcmp(&x, &y, sizeof x) == 0) continue;
        names += std::string(name) + " ";
        return;
      }
    };
    compare("energy", &a.energy, &b.energy, 1);
    compare("stress", a.stress.m, b.stress.m, 9);
    compare("tangent", a.tangent.c, b.tangent.c, 45);
    compare("parameter-derivative", a.vjp.data(), b.vjp.data(), a.vjp.size());
    return names;
  }

  SampleBody body_;
  std::unique_ptr<Material> material_;
  std::vector<Pack> params_;
};

TEST_P(EveryMaterial, PassesTheChecksOfItsDerivatives) {
  for (const CheckResult& r : check_material(*material_))
    EXPECT_TRUE(r.passed) << r.name << ": " << r.value << ", limit " << r.limit;
}

TEST_P(EveryMaterial, IsFreeOfStressAndEnergyAtRestHoweverItIsTurned) {
  const double size = stiffness();
  ASSERT_GT(size, 0);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  for (const Mat3& f : {Mat3(Mat3::Identity()), turn}) {
    if (!material_->is_objective() && f == turn) continue;
    const Result r = evaluate(same(f * rest()));
    EXPECT_NEAR(r.energy[0], 0, 1e-14 * size);
    EXPECT_LT(lane(r.stress, 0).cwiseAbs().maxCoeff(), 1e-14 * size);
  }
}

TEST_P(EveryMaterial, IsTurnedWithoutWorkExactlyIfItSaysSo) {
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3(2, -1, 3).normalized()).toRotationMatrix();
  const Mat3Pack f = different();
  Mat3Pack turned;
  for (int l = 0; l < kLanes; ++l) set_lane(turned, l, turn * lane(f, l));
  const Result before = evaluate(f), after = evaluate(turned);
  double worst = 0, stress = 0;
  for (int l = 0; l < kLanes; ++l) {
    worst = std::max(worst, std::abs(after.energy[l] / before.energy[l] - 1));
    stress = std::max(stress, (lane(after.stress, l) - turn * lane(before.stress, l)).norm() / stiffness());
  }
  EXPECT_EQ(worst < 1e-12, material_->is_objective()) << worst;
  EXPECT_EQ(stress < 1e-13, material_->is_objective()) << stress;
}

TEST_P(EveryMaterial, GivesTheSameEnergyWithAndWithoutStress) {
  const Result r = evaluate(different());
  for (int l = 0; l < kLanes; ++l) {
    EXPECT_GT(r.energy[l], 0);
    EXPECT_NEAR(r.stress_energy[l], r.energy[l], 1e-13 * r.energy[l]);
  }
}

TEST_P(EveryMaterial, AddsToItsOutputs) {
  const Mat3Pack f = different();
  const Result once = evaluate(f);
  Svd3Pack svd;
  batched_svd(&f, &svd, 1);
  const SampleBatch batch{1, &f, material_->needs_svd() ? &svd : nullptr, params_.data()};
  Pack energy = splat(0.0);
  Mat3Pack stress = zero_mat3();
  for (int repeat = 0; repeat < 2; ++repeat) {
    material_->add_energy(batch, &energy);
    material_->add_stress(batch, &energy, &stress);
  }
  for (int l = 0; l < kLanes; ++l) {
    EXPECT_NEAR(energy[l], 4 * once.energy[l], 1e-13 * once.energy[l]);
    EXPECT_LT((lane(stress, l) - 2 * lane(once.stress, l)).norm(), 1e-14 * lane(once.stress, l).norm());
  }
}

TEST_P(EveryMaterial, TurnsNotANumberIntoNotANumber) {
  Mat3Pack f = different();
  set_lane(f, 3, Mat3::Constant(std::numeric_limits<double>::quiet_NaN()));
  const Result r = evaluate(f);
  for (int l = 0; l < kLanes; ++l) {
    EXPECT_EQ(std::isnan(r.energy[l]), l == 3);
    EXPECT_EQ(std::isnan(r.stress_energy[l]), l == 3);
    EXPECT_EQ(lane(r.stress, l).hasNaN(), l == 3);
  }
}

TEST_P(EveryMaterial, ComputesEachLaneAloneBitByBit) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, Mat3>> others = {
      {"rest", Mat3::Identity()},
      {"nearly flat", Vec3(3, 1, 1e-6).asDiagonal() * Mat3(Eigen::AngleAxisd(0.4, Vec3(1, 2, 2) / 3))},
      {"inverted", Vec3(-1, 2, 0.5).asDiagonal()},
      {"huge", 1e6 * Mat3::Identity() + 1e5 * Mat3::Ones()},
      {"zero", Mat3::Zero()},
      {"NaN", Mat3::Constant(nan)},
      {"infinite", Mat3::Constant(inf)}};
  const Mat3Pack f = different();
  const Result expected = evaluate(f);
  ASSERT_NE(differences(expected, evaluate(same(lane(f, 1))), 0), "");
  for (const auto& [what, other] : others)
    for (const int kept : {0, 5}) {
      Mat3Pack g = same(other);
      set_lane(g, kept, lane(f, kept));
      EXPECT_EQ(differences(evaluate(g), expected, kept), "") << "beside lanes that are " << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMaterial, ::testing::ValuesIn(all_cases()),
                         [](const auto& p) { return case_name(p.param); });

}  // namespace
}  // namespace resilin::test

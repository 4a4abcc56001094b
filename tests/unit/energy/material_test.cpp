// The projections behind the first-party materials, at numbers and far from rest.
#include "core/energy/material.hpp"

#include "core/energy/energy_density_material.hpp"
#include "tests/support/material_point.hpp"

namespace resilin::test {
namespace {

constexpr double kE = 1e6, kNu = 0.4;  // the defaults
constexpr double kMu = kE / (2 * (1 + kNu)), kLambda = kE * kNu / ((1 + kNu) * (1 - 2 * kNu));

class VolumeProjection : public ::testing::TestWithParam<Deformation> {
 protected:
  Point volume_{"volume"};
};

TEST_P(VolumeProjection, HasDeterminantOneAndIsStationary) {
  const Mat3& f = GetParam().f;
  const Mat3 d = f - volume_.stress(f) / kLambda;  // P = lambda (F - D)
  EXPECT_NEAR(d.determinant(), 1, 1e-11);
  const Mat3 cofactor = d.inverse().transpose();  // times det D = 1: the normal of the surface det = 1
  const Mat3 offset = f - d;
  const double multiplier = (offset.array() * cofactor.array()).sum() / cofactor.squaredNorm();
  EXPECT_LT((offset - multiplier * cofactor).norm(), 1e-11 * (1 + f.norm()));
  EXPECT_NEAR(volume_.energy(f), 0.5 * kLambda * offset.squaredNorm(), 1e-12 * volume_.energy(f) + 1e-20);
}

TEST_P(VolumeProjection, DerivativeAgreesWithDifferences) {
  EXPECT_LT(volume_.tangent_gap(GetParam().f), 1e-8);
}

TEST_P(VolumeProjection, DoesNotDependOnTheFrame) {
  const Mat3& f = GetParam().f;
  const Mat3 r = Eigen::AngleAxisd(2.0, Vec3(-1, 1, 4).normalized()).toRotationMatrix();
  EXPECT_LT((volume_.stress(r * f) - r * volume_.stress(f)).norm(), 1e-10 * kLambda * (1 + f.norm()));
  EXPECT_LT((volume_.stress(f * r) - volume_.stress(f) * r).norm(), 1e-10 * kLambda * (1 + f.norm()));
}

INSTANTIATE_TEST_SUITE_P(FarFromRest, VolumeProjection, ::testing::ValuesIn(far_from_rest()),
                         [](const auto& p) { return p.param.name; });

TEST(Volume, NothingOfDeterminantOneIsNearerWhereTheDeformationIsModerate) {
  Point volume("volume");
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const VecX v = random_vector(9, seed);
    const Mat3 f = Mat3::Identity() + 0.15 * Eigen::Map<const Mat3>(v.data());
    const double distance = std::sqrt(2 * volume.energy(f) / kLambda);
    for (unsigned other = 1; other <= 50; ++other) {
      const VecX w = random_vector(9, 1000 * seed + other);
      Mat3 g = f + 0.2 * Eigen::Map<const Mat3>(w.data());
      if (g.determinant() <= 0) continue;
      g /= std::cbrt(g.determinant());
      EXPECT_GE((f - g).norm(), distance - 1e-12);
    }
  }
}

TEST(Corotated, ByHand) {
  Point corotated("corotated");
  const Mat3 r = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Mat3 s = Vec3(1.5, 1, 0.8).asDiagonal();
  EXPECT_NEAR(corotated.energy(r * s), kMu * (0.25 + 0.04), 1e-9);
  EXPECT_LT((corotated.stress(r * s) - 2 * kMu * (r * s - r)).norm(), 1e-8);
  EXPECT_LT((corotated.quadratic_form() - 2 * kMu * Mat3::Identity()).norm(), 1e-9);
}

TEST(Corotated, KeepsItsRelativeAccuracyAtTinyStrains) {
  Point corotated("corotated");
  const Mat3 r = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  Mat3 strain;
  strain << 1, 0.5, -0.3, 0.5, -0.7, 0.8, -0.3, 0.8, 0.2;
  for (const double size : {1e-3, 1e-5, 1e-7, 1e-9}) {
    // |R| is rounded to 1e-16, hence the second term.
    const Mat3 p = corotated.stress(r * (Mat3::Identity() + size * strain)),
               expected = 2 * kMu * size * r * strain;
    EXPECT_LT((p - expected).norm(), (1e-12 + 3e-15 / size) * expected.norm()) << size;
  }
}

TEST(Corotated, DerivativeAgreesWithDifferencesWhereTheRotationIsUnique) {
  Point corotated("corotated");
  for (const Deformation& d : far_from_rest()) EXPECT_LT(corotated.tangent_gap(d.f), 1e-7) << d.name;
}

TEST(NeoHookean, ByHandAndNotANumberWhereVolumeIsNegative) {
  Point neo("neo_hookean");
  const Mat3 f = Vec3(1.5, 1, 0.8).asDiagonal();
  const double j = 1.2;
  EXPECT_NEAR(neo.energy(f),
              kMu * (0.5 * (2.25 + 1 + 0.64 - 3) - std::log(j)) + 0.5 * kLambda * std::log(j) * std::log(j),
              1e-8);
  EXPECT_NEAR(neo.stress(f)(0, 0), kMu * (1.5 - 1 / 1.5) + kLambda * std::log(j) / 1.5, 1e-8);
  EXPECT_TRUE(std::isnan(neo.energy(Vec3(1, 1, -0.1).asDiagonal())));
  EXPECT_TRUE(std::isnan(neo.stress(Vec3(1, 1, -0.1).asDiagonal())(0, 0)));
}

TEST(StableNeoHookean, IsFiniteForInvertedElements) {
  Point stable("stable_neo_hookean");
  for (const Deformation& d : far_from_rest()) {
    EXPECT_TRUE(std::isfinite(stable.energy(d.f))) << d.name;
    EXPECT_LT(stable.tangent_gap(d.f), 1e-8) << d.name;
  }
  EXPECT_TRUE(std::isfinite(stable.energy(Mat3::Zero())));
}

TEST(IsotropicSolids, AreLinearElasticityNearRest) {
  // d P = 2 mu eps + lambda tr(eps) I; the two parts of the corotated solid add up to nearly the same: volume
  // alone is lambda tr(eps)/3 in each direction, that is a bulk part of lambda/3.
  MatX expected = MatX::Zero(9, 9);
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
      expected(a, b) = kMu * ((i == k && j == l) + (i == l && j == k)) + kLambda * (i == j && k == l);
    }
  for (const char* type :
       {"neo_hookean", "stable_neo_hookean", "linear_elastic", "st_venant_kirchhoff", "fixed_corotated"})
    EXPECT_LT((Point(type).tangent(Mat3::Identity()) - expected).norm(), 1e-12 * expected.norm()) << type;
  MatX shear = expected, bulk = MatX::Zero(9, 9);
  for (int a = 0; a < 9; a += 4)
    for (int b = 0; b < 9; b += 4) shear(a, b) -= kLambda, bulk(a, b) = kLambda / 3;
  EXPECT_LT((Point("corotated").tangent(Mat3::Identity()) - shear).norm(), 1e-12 * shear.norm());
  EXPECT_LT((Point("volume").tangent(Mat3::Identity()) - bulk).norm(), 1e-12 * bulk.norm());
  Point rubber("mooney_rivlin", {{"mu1", 0.7 * kMu}, {"mu2", 0.3 * kMu}, {"bulk", kLambda + 2 * kMu / 3}});
  EXPECT_LT((rubber.tangent(Mat3::Identity()) - expected).norm(), 1e-12 * expected.norm());
  // The default quadratic form: the stiffest wave is one of pressure, with the same matrix as the pair.
  EXPECT_LT((Point("neo_hookean").quadratic_form() - (2 * kMu + kLambda) * Mat3::Identity()).norm(), 1e-8);
  EXPECT_LT((Point("corotated").quadratic_form() + Point("volume").quadratic_form() -
             (2 * kMu + kLambda) * Mat3::Identity())
                .norm(),
            1e-8);
}

/// 3 (tr F - 3)^2 / 2 + a |F m|^2 / 2, m = (0.6, 0.8, 0): as if a fibre was put into a liquid.
struct FibreInLiquid final : EnergyDensityMaterial<FibreInLiquid, 1> {
  explicit FibreInLiquid(double stiffness) { stiffness_.values.setConstant(stiffness); }
  std::vector<const Field*> fields() const override { return {&stiffness_}; }
  template <class T>
  static T psi(const Matrix3<T>& f, const std::array<T, 1>& p) {
    const T trace = f(0, 0) + f(1, 1) + f(2, 2) - 3.0;
    T square = 0.0 * trace;
    for (int i = 0; i < 3; ++i) {
      const T along = 0.6 * f(i, 0) + 0.8 * f(i, 1);
      square = square + along * along;
    }
    return 1.5 * trace * trace + 0.5 * p[0] * square;
  }
  Field stiffness_;
};

TEST(DefaultQuadraticForm, IsTheStiffestWaveOfAnAnisotropicMaterial) {
  // (u n^T) : C : (u n^T) = 3 (u . n)^2 + a (n . m)^2, largest at u = n = m.
  for (const double a : {0.5, 20.0}) {
    const FibreInLiquid material(a);
    EXPECT_LT((material.quadratic_form(&a) - (3 + a) * Mat3::Identity()).norm(), 1e-8) << a;
  }
}

TEST(Muscle, PullsAlongItsFibreOnly) {
  Point muscle("muscle", {{"stiffness", 1e5}, {"activation", 0.8}});  // the fibre is x
  EXPECT_NEAR(muscle.energy(Mat3::Identity()), 0.5 * 1e5 * 0.04, 1e-9);
  Mat3 expected = Mat3::Zero();
  expected(0, 0) = 1e5 * 0.2;
  EXPECT_LT((muscle.stress(Mat3::Identity()) - expected).norm(), 1e-9);
  EXPECT_LT((muscle.stress(Vec3(0.8, 3, 0.1).asDiagonal())).norm(), 1e-9);
  Mat3 q = Mat3::Zero();
  q(0, 0) = 1e5;
  EXPECT_EQ(muscle.quadratic_form(), q);
}

TEST(Lame, DerivativesAgreeWithDifferences) {
  for (const double nu : {-0.5, 0.0, 0.3, 0.49}) {
    const LamePack l = lame(splat(2e5), splat(nu));
    const double h = 1e-5;
    const LamePack up = lame(splat(2e5), splat(nu + h)), down = lame(splat(2e5), splat(nu - h));
    EXPECT_NEAR(l.mu_nu[0], (up.mu[0] - down.mu[0]) / (2 * h), 1e-6 * std::abs(l.mu_nu[0]));
    EXPECT_NEAR(l.lambda_nu[0], (up.lambda[0] - down.lambda[0]) / (2 * h), 2e-6 * std::abs(l.lambda_nu[0]));
    EXPECT_NEAR(l.mu_e[0] * 2e5, l.mu[0], 1e-9);
    EXPECT_NEAR(l.lambda_e[0] * 2e5, l.lambda[0], 1e-9 * std::max(1.0, l.lambda[0]));
  }
}

}  // namespace
}  // namespace resilin::test

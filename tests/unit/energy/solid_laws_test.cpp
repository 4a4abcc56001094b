// Solids against closed forms at finite strain: uniaxial and biaxial tension with free sides, simple shear;
// and what becomes of them in inverted elements.
#include "tests/support/material_point.hpp"

#include <cmath>

namespace resilin::test {
namespace {

constexpr double kE = 1e6, kNu = 0.3;
constexpr double kMu = kE / (2 * (1 + kNu)), kLambda = kE * kNu / ((1 + kNu) * (1 - 2 * kNu));
constexpr double kMu1 = 3e5, kMu2 = 1.2e5, kBulk = 9e5;
constexpr double kTolerance = 1e-8 * kE;

/// P_i = dpsi/ds_i for principal stretches, by hand.
using Principal = std::function<Vec3(const Vec3&)>;

struct Law {
  std::string type;
  Principal stress;
};
void PrintTo(const Law& l, std::ostream* out) {
  *out << l.type;
}

std::vector<Law> laws() {
  const auto j = [](const Vec3& s) { return s.prod(); };
  return {
      {"linear_elastic",
       [](const Vec3& s) -> Vec3 {
         const Vec3 e = s - Vec3::Ones();
         return 2 * kMu * e + kLambda * e.sum() * Vec3::Ones();
       }},
      {"st_venant_kirchhoff",
       [](const Vec3& s) -> Vec3 {
         const Vec3 e = 0.5 * (s.cwiseAbs2() - Vec3::Ones());
         return s.cwiseProduct(2 * kMu * e + kLambda * e.sum() * Vec3::Ones());
       }},
      {"neo_hookean",
       [j](const Vec3& s) -> Vec3 {
         return kMu * (s - s.cwiseInverse()) + kLambda * std::log(j(s)) * s.cwiseInverse();
       }},
      {"stable_neo_hookean",
       [j](const Vec3& s) -> Vec3 {
         return kMu * s + ((kLambda + kMu) * (j(s) - 1) - kMu) * j(s) * s.cwiseInverse();
       }},
      {"fixed_corotated",
       [j](const Vec3& s) -> Vec3 {
         return 2 * kMu * (s - Vec3::Ones()) + kLambda * (j(s) - 1) * j(s) * s.cwiseInverse();
       }},
      {"mooney_rivlin",
       [j](const Vec3& s) -> Vec3 {
         const Vec3 q = s.cwiseAbs2(), inverse = s.cwiseInverse();
         const double i1 = q.sum(), i2 = q[0] * q[1] + q[1] * q[2] + q[0] * q[2], a = std::cbrt(j(s));
         Vec3 p;
         for (int i = 0; i < 3; ++i)
           p[i] = kMu1 / (a * a) * (s[i] - i1 / 3 * inverse[i]) +
                  kMu2 / std::pow(a, 4) * ((i1 - q[i]) * s[i] - 2 * i2 / 3 * inverse[i]) +
                  kBulk / 2 * (j(s) * j(s) - 1) * inverse[i];
         return p;
       }},
  };
}

Point make_point(const std::string& type) {
  return Point(type, {{"youngs_modulus", kE},
                      {"poissons_ratio", kNu},
                      {"mu1", kMu1},
                      {"mu2", kMu2},
                      {"bulk", kBulk},
                      {"exponent", 1e-3}});
}

/// Root of a function that changes its sign once in [a, b].
double bisect(const std::function<double(double)>& f, double a, double b) {
  const bool rising = f(b) > 0;
  EXPECT_NE(f(a) > 0, rising) << "no change of sign";
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0) == rising ? b : a) = middle;
  }
  return 0.5 * (a + b);
}

class SolidLaw : public ::testing::TestWithParam<Law> {
 protected:
  SolidLaw() : point_(make_point(GetParam().type)) {}
  /// Stress with rotations of the body before and after, which have to drop out.
  Vec3 principal_stress(const Vec3& s) {
    const Mat3 before = Eigen::AngleAxisd(0.8, Vec3(1, 2, -2) / 3).toRotationMatrix();
    const bool turns = point_.material().is_objective();
    const Mat3 after =
        turns ? Mat3(Eigen::AngleAxisd(-1.3, Vec3(2, -1, 2) / 3).toRotationMatrix()) : before.transpose();
    const Mat3 p = after.transpose() * point_.stress(after * s.asDiagonal() * before) * before.transpose();
    const Mat3 off = p - Mat3(p.diagonal().asDiagonal());
    EXPECT_LT(off.norm(), 1e-12 * kE * (1 + p.norm() / kE));
    return p.diagonal();
  }
  Point point_;
};

TEST_P(SolidLaw, UniaxialTensionWithFreeSides) {
  for (const double s : {0.7, 0.95, 1.0001, 1.1, 1.3}) {
    const double t = bisect([&](double side) { return principal_stress({s, side, side})[1]; }, 0.7, 1.2);
    const Vec3 expected = GetParam().stress({s, t, t});
    EXPECT_NEAR(expected[1], 0, kTolerance) << "the side stretch of the material is not that of the law";
    EXPECT_NEAR(principal_stress({s, t, t})[0], expected[0], kTolerance);
    EXPECT_GT(expected[0] * (s - 1), 0);
  }
}

TEST_P(SolidLaw, BiaxialTensionWithFreeThickness) {
  for (const double s : {0.9, 1.05, 1.2}) {
    const double t = bisect([&](double thick) { return principal_stress({s, s, thick})[2]; }, 0.5, 1.4);
    const Vec3 expected = GetParam().stress({s, s, t});
    EXPECT_NEAR(expected[2], 0, kTolerance);
    EXPECT_NEAR(principal_stress({s, s, t})[0], expected[0], kTolerance);
    EXPECT_NEAR(principal_stress({s, s, t})[1], expected[0], kTolerance);
  }
}

TEST_P(SolidLaw, EnergyIsTheWorkOfTheStress) {
  // Simpson's rule along a path from rest, on the closed form.
  const Vec3 end(0.3, -0.15, 0.1);
  const int n = 200;
  double work = 0;
  for (int i = 0; i <= n; ++i) {
    const double weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
    work += weight / (3.0 * n) * GetParam().stress(Vec3::Ones() + static_cast<double>(i) / n * end).dot(end);
  }
  EXPECT_NEAR(point_.energy((Vec3::Ones() + end).asDiagonal()), work, 1e-8 * work);
}

TEST_P(SolidLaw, TangentAgreesWithDifferencesFarFromRest) {
  for (const Deformation& d : far_from_rest()) {
    if (std::isnan(point_.energy(d.f))) continue;
    EXPECT_LT(point_.tangent_gap(d.f), 1e-7) << d.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Closed, SolidLaw, ::testing::ValuesIn(laws()),
                         [](const auto& p) { return p.param.type; });

Mat3 simple_shear(double gamma) {
  Mat3 f = Mat3::Identity();
  f(0, 1) = gamma;
  return f;
}

TEST(SimpleShear, OfEachSolid) {
  for (const double g : {-0.4, 0.01, 0.3, 1.5}) {
    const Mat3 f = simple_shear(g);
    const auto near = [&](const char* type, int i, int j, double expected) {
      EXPECT_NEAR(make_point(type).stress(f)(i, j), expected, kTolerance)
          << type << ", P_" << i + 1 << j + 1 << ", shear " << g;
    };
    near("linear_elastic", 0, 1, kMu * g);
    near("linear_elastic", 1, 0, kMu * g);
    near("linear_elastic", 0, 0, 0);
    // E = [0 g; g g^2]/2, P = F S
    near("st_venant_kirchhoff", 1, 0, kMu * g);
    near("st_venant_kirchhoff", 0, 1, kMu * g + (kMu + kLambda / 2) * g * g * g);
    near("st_venant_kirchhoff", 1, 1, (kMu + kLambda / 2) * g * g);
    near("st_venant_kirchhoff", 0, 0, kMu * g * g + kLambda / 2 * g * g);
    near("st_venant_kirchhoff", 2, 2, kLambda / 2 * g * g);
    for (const char* type : {"neo_hookean", "stable_neo_hookean"}) {  // P = mu (F - F^-T) at constant volume
      near(type, 0, 1, kMu * g);
      near(type, 1, 0, kMu * g);
      near(type, 0, 0, 0);
    }
    // R turns by the angle of tangent g/2.
    const double c = 1 / std::sqrt(1 + g * g / 4);
    near("fixed_corotated", 0, 1, 2 * kMu * (g - c * g / 2));
    near("fixed_corotated", 1, 0, 2 * kMu * c * g / 2);
    near("fixed_corotated", 0, 0, 2 * kMu * (1 - c));
    // Rivlin's universal relations of the Cauchy stress P F^T (J = 1).
    const Mat3 sigma = make_point("mooney_rivlin").stress(f) * f.transpose();
    EXPECT_NEAR(sigma(0, 1), (kMu1 + kMu2) * g, kTolerance);
    EXPECT_NEAR(sigma(1, 0), (kMu1 + kMu2) * g, kTolerance);
    EXPECT_NEAR(sigma(0, 0) - sigma(2, 2), kMu1 * g * g, kTolerance);
    EXPECT_NEAR(sigma(1, 1) - sigma(2, 2), -kMu2 * g * g, kTolerance);
  }
}

// E_22 = -nu E_11 in Green's strain, whatever its size.
TEST(StVenantKirchhoff, UniaxialTensionHasAnExplicitSolution) {
  Point solid = make_point("st_venant_kirchhoff");
  for (const double s : {0.6, 0.9, 1.2, 1.5}) {
    const double strain = 0.5 * (s * s - 1), t = std::sqrt(1 - 2 * kNu * strain);
    const Mat3 p = solid.stress(Vec3(s, t, t).asDiagonal());
    EXPECT_NEAR(p(0, 0), kE * strain * s, kTolerance);
    EXPECT_NEAR(p(1, 1), 0, kTolerance);
  }
  // The stiffness vanishes at s = 1/sqrt 3 and is negative below.
  const auto pressed = [&](double s) { return kE * 0.5 * (s * s - 1) * s; };
  EXPECT_GT(pressed(0.5), pressed(1 / std::sqrt(3)));
}

// sigma = (s^2 - 1/s)(mu1 + mu2/s) for an incompressible solid; the rest is of the order mu/K.
TEST(MooneyRivlin, ApproachesTheIncompressibleSolid) {
  double last = 0;
  for (const double bulk : {1e9, 1e10, 1e11}) {
    Point rubber("mooney_rivlin", {{"mu1", kMu1}, {"mu2", kMu2}, {"bulk", bulk}});
    const double s = 1.4, guess = 1 / std::sqrt(s);
    const double t =
        bisect([&](double side) { return rubber.stress(Vec3(s, side, side).asDiagonal())(1, 1); },
               0.95 * guess, 1.05 * guess);
    const double sigma = rubber.stress(Vec3(s, t, t).asDiagonal())(0, 0) / (t * t);
    const double exact = (s * s - 1 / s) * (kMu1 + kMu2 / s), error = std::abs(sigma / exact - 1);
    EXPECT_LT(error, 2 * kMu1 / bulk);
    if (last > 0) {
      EXPECT_NEAR(last / error, 10, 1);
    }
    last = error;
  }
}

TEST(InvertedElements, AreSurvivedExactlyByThoseThatSaySo) {
  const std::map<std::string, bool> survives = {{"linear_elastic", true},    {"st_venant_kirchhoff", true},
                                                {"fixed_corotated", true},   {"fibre", true},
                                                {"exponential_fibre", true}, {"stable_neo_hookean", true},
                                                {"neo_hookean", false},      {"mooney_rivlin", false}};
  for (const auto& [type, expected] : survives) {
    Point p = make_point(type);
    for (const Deformation& d : far_from_rest()) {
      const bool inverted = d.f.determinant() < 0;
      EXPECT_EQ(std::isfinite(p.energy(d.f)), expected || !inverted) << type << ": " << d.name;
      EXPECT_EQ(p.stress(d.f).allFinite(), expected || !inverted) << type << ": " << d.name;
    }
  }
}

TEST(InvertedElements, ArePushedBackByTheFixedCorotatedSolidAlone) {
  // Through the smallest stretch, until it is positive again.
  const auto pull = [](const char* type, double s) {
    return make_point(type).stress(Vec3(1, 1, s).asDiagonal())(2, 2);
  };
  for (const double s : {-0.01, -0.3, -0.9}) EXPECT_LT(pull("fixed_corotated", s), -kMu);
  // The mirror image is a state of rest of Green's strain, and below 1/sqrt 3 it draws towards it.
  EXPECT_NEAR(pull("st_venant_kirchhoff", -1), 0, kTolerance);
  EXPECT_GT(pull("st_venant_kirchhoff", -0.5), 0);
}

TEST(Fibre, OfAUnitDirectionByHand) {
  Point spring("fibre", {{"stiffness", 2e5}}),
      soft("exponential_fibre", {{"stiffness", 2e5}, {"exponent", 3}});
  Mat3 f;  // the default direction is x
  f << 1.2, 0.3, 0, 0.1, 0.8, 0.2, -0.4, 0, 1.1;
  const Vec3 x = f.col(0);
  const double l = x.norm(), e = (l * l - 1) / 2;
  Mat3 p = Mat3::Zero();
  p.col(0) = 2e5 * (l - 1) * x / l;
  EXPECT_NEAR(spring.energy(f), 1e5 * (l - 1) * (l - 1), 1e-8);
  EXPECT_LT((spring.stress(f) - p).norm(), 1e-8);
  p.col(0) = 2e5 * e * std::exp(3 * e * e) * x;
  EXPECT_NEAR(soft.energy(f), 2e5 / 6 * std::expm1(3 * e * e), 1e-8);
  EXPECT_LT((soft.stress(f) - p).norm(), 1e-8);
  Mat3 q = Mat3::Zero();
  q(0, 0) = 2e5;
  for (Point* point : {&spring, &soft}) {
    EXPECT_EQ(point->quadratic_form(), q);
    // At rest: stiffness k along the fibre, none across and none against shear.
    MatX c = point->tangent(Mat3::Identity());
    EXPECT_NEAR(c(0, 0), 2e5, 1e-8);
    c(0, 0) = 0;
    EXPECT_LT(c.norm(), 1e-8);
  }
}

TEST(Fibre, DirectionIsNormalised) {
  const double third = std::sqrt(3.0);
  Point one("fibre", {{"direction", 1}}), two("fibre", {{"direction", -17}});
  Mat3 f = Vec3(1.2, 0.9, 1.3).asDiagonal();
  f(0, 2) = 0.3;
  EXPECT_LT((one.stress(f) - two.stress(f)).norm(), 1e-9);
  const double l = (f * Vec3::Constant(1 / third)).norm();
  EXPECT_NEAR(one.energy(f), 0.5e5 * (l - 1) * (l - 1), 1e-8);
}

/// Stress and parameter derivatives along some direction against differences.
void expect_derivatives(Point& p, const Mat3& f) {
  Mat3 w;
  w << 0.3, -0.5, 0.7, 0.2, 0.9, -0.4, 0.6, 0.1, -0.8;
  const auto dot = [&](const Mat3& stress) { return (stress.array() * w.array()).sum(); };
  EXPECT_LT(difference_gap([&](double s) { return p.energy(f + s * w); }, dot(p.stress(f)), 1e-3, 1e-3),
            1e-8);
  const VecX vjp = p.param_vjp(f, w);
  for (Index k = 0; k < vjp.size(); ++k) {
    const Pack value = p.param(k);
    const auto at = [&](double s) {
      p.param(k) = value + s;
      const double r = dot(p.stress(f));
      p.param(k) = value;
      return r;
    };
    EXPECT_LT(difference_gap(at, vjp[k], 1e-3 * std::max(1.0, std::abs(value[0])), 1e-3), 1e-8)
        << "parameter " << k;
  }
}

TEST(Fibre, GoesSlackSmoothlyWhereAskedTo) {
  for (const char* type : {"fibre", "exponential_fibre"}) {
    Point both(type), slack(type, {{"tension_only", 1}, {"transition", 0.05}});
    const auto at = [](double s) -> Mat3 { return Vec3(s, 1, 1).asDiagonal(); };
    for (const double s : {0.3, 0.9, 1.0}) {
      EXPECT_EQ(slack.energy(at(s)), 0) << type;
      EXPECT_EQ(slack.stress(at(s)).norm(), 0);
      EXPECT_EQ(slack.tangent(at(s)).norm(), 0);
    }
    EXPECT_GT(both.energy(at(0.9)), 0);
    // Beyond the transition the load is that of a fibre with the strain w/2 of slack.
    const double e = type == std::string("fibre") ? 0.3 : 0.5 * (1.3 * 1.3 - 1), r = e - 0.025;
    const double unit = type == std::string("fibre") ? r : 1.3 * r * std::exp(5 * r * r);
    EXPECT_NEAR(slack.stress(at(1.3))(0, 0), 1e5 * unit, 1e-7);
    // The tangent is continuous at both ends of the transition.
    const double w = type == std::string("fibre") ? 1.05 : std::sqrt(1.1);
    for (const double s : {1.0, w}) {
      const MatX left = slack.tangent(at(s - 1e-7)), right = slack.tangent(at(s + 1e-7));
      EXPECT_LT((left - right).norm(), 1e-4 * 1e5) << type << " at " << s;
    }
    for (const double stretch : {1.02, 1.04, 1.2}) {
      Mat3 f = at(stretch);
      f(0, 1) = 0.3, f(1, 2) = -0.2;
      EXPECT_LT(slack.tangent_gap(f), 1e-7) << type << " at " << stretch;
      expect_derivatives(slack, f);
    }
    EXPECT_FALSE(slack.material().is_projective());
  }
}

TEST(Fibre, NeedsADirection) {
  const SampleBody body(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  const auto make = [&] { make_component<Material>("fibre", body.context(), {{"direction", 0.0}}); };
  EXPECT_THROW(make(), Error);
  auto fibre = make_component<Material>("fibre", body.context(), {});
  ParameterTable table;
  table.add("", [&](ParamVisitor& v) { fibre->visit_parameters(v); });
  VecX theta = table.values();
  theta.tail<3>().setZero();
  table.assign(theta);
  EXPECT_THROW(fibre->parameters_changed(), Error);
}

}  // namespace
}  // namespace resilin::test

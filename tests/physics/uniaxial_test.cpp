// A bar pulled by forces at its end: small strains give Young's modulus and Poisson's ratio.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

constexpr double kLength = 0.4, kWidth = 0.1, kYoung = 1e6;

/// Forces on the end face x = L that are equivalent to a uniform traction [Pa], a row per node of the face in
/// the order of nodes: corners carry a quarter, edges a half of a cell's share.
std::string end_forces(double traction, int cells) {
  const double share = traction * kWidth * kWidth / (cells * cells);
  std::string text;
  for (int y = 0; y <= cells; ++y)
    for (int z = 0; z <= cells; ++z) {
      const double wy = y == 0 || y == cells ? 0.5 : 1, wz = z == 0 || z == cells ? 0.5 : 1;
      text += fmt::format("{:.17g},0,0\n", share * wy * wz);
    }
  return text;
}

struct Strain {
  double axial, lateral_y, lateral_z;
};

class Uniaxial : public SceneTest {
 protected:
  Strain pull(const std::string& materials, double traction, int cells = 2) {
    files_.write("pull.csv", end_forces(traction, cells));
    const auto sim = simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
bodies:
  bar:
    mesh: {{generator: {{type: box, size: [{0}, {1}, {1}], cells: [4, {2}, {2}]}}}}
    materials: {3}
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, {1}, {1}]}}}}, axes: [x]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [{0}, 0, {1}]}}}}, axes: [y]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [{0}, {1}, 0]}}}}, axes: [z]}}
forces:
  pull: {{type: nodal_force, nodes: {{box: {{min: [{0}, 0, 0], max: [{0}, {1}, {1}]}}}}, force: {{file: pull.csv}}}}
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 0}}
)",
                                            kLength, kWidth, cells, materials));
    const VecX x = settle(*sim, 1, 4);
    const Mat3X u = as_columns(x) - as_columns(sim->system().initial_state().x);
    const Index far = u.cols() - 1;  // the corner opposite to the three symmetry planes
    return {u(0, far) / kLength, u(1, far) / kWidth, u(2, far) / kWidth};
  }
};

// Strain 1e-6: the nonlinear part is of that relative size, the rounding of positions 1e-10; so 1e-5 is asked
// for, well within the 0.1 % that one would measure.
constexpr double kTolerance = 1e-5;

TEST_F(Uniaxial, SolidsLinearizeToHooke) {
  for (const char* type :
       {"neo_hookean", "stable_neo_hookean", "linear_elastic", "st_venant_kirchhoff", "fixed_corotated"})
    for (const double nu : {-0.2, 0.0, 0.3, 0.45}) {
      SCOPED_TRACE(fmt::format("{}, nu = {}", type, nu));
      const Strain s = pull(solid(type, kYoung, nu), 1e-6 * kYoung);
      EXPECT_NEAR(1e-6 * kYoung / s.axial, kYoung, kTolerance * kYoung);
      EXPECT_NEAR(-s.lateral_y / s.axial, nu, kTolerance);
      EXPECT_NEAR(-s.lateral_z / s.axial, nu, kTolerance);
    }
}

TEST_F(Uniaxial, MooneyRivlinLinearizesToItsModuli) {
  const double shear = 4e5, bulk = 1.1e6;  // E = 9 K G/(3 K + G), nu = (3 K - 2 G)/(2 (3 K + G))
  const double young = 9 * bulk * shear / (3 * bulk + shear);
  const double poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
  const Strain s = pull("[{type: mooney_rivlin, mu1: 3e5, mu2: 1e5, bulk: 1.1e6}]", 1e-6 * young);
  EXPECT_NEAR(1e-6 * young / s.axial, young, kTolerance * young);
  EXPECT_NEAR(-s.lateral_y / s.axial, poisson, kTolerance);
}

// A fibre along x adds its modulus to a solid without lateral contraction.
TEST_F(Uniaxial, FibresAddTheirModulusAlongTheirDirection) {
  for (const char* type : {"fibre", "exponential_fibre"}) {
    const auto strain = [&](const char* direction) {
      return pull(fmt::format(
                      "[{{type: linear_elastic, E: {}, nu: 0}}, {{type: {}, stiffness: 5e5, direction: {}}}]",
                      kYoung, type, direction),
                  1e-6 * kYoung)
          .axial;
    };
    EXPECT_NEAR(1e-6 / strain("[2, 0, 0]"), 1.5, 1e-5) << type;
    EXPECT_NEAR(1e-6 / strain("[0, 1, 0]"), 1, 1e-5) << type;
  }
}

// psi = mu |F - R|^2 + lambda/2 |F - D|^2, the weights 2 mu and lambda of the published code. For F = 1 + H
// the first term is mu |eps|^2. Near the identity det = 1 is the plane tr H = 0 with unit normal 1/sqrt(3),
// so that |F - D|^2 = (tr H)^2/3 and the second term is (lambda/3)/2 (tr eps)^2: Hooke's law, but with
// lambda/3 in place of lambda. The solid is therefore more compressible than its nu says, and somewhat
// softer.
TEST_F(Uniaxial, CorotatedAndVolumeLinearizeWithAThirdOfLambda) {
  for (const double nu : {0.0, 0.3, 0.45}) {
    SCOPED_TRACE(fmt::format("nu = {}", nu));
    const double mu = kYoung / (2 * (1 + nu)), third = kYoung * nu / ((1 + nu) * (1 - 2 * nu)) / 3;
    const double young = mu * (3 * third + 2 * mu) / (third + mu), poisson = third / (2 * (third + mu));
    const Strain s = pull(solid("corotated_volume", kYoung, nu), 1e-6 * kYoung);
    EXPECT_NEAR(1e-6 * kYoung / s.axial, young, kTolerance * young);
    EXPECT_NEAR(-s.lateral_y / s.axial, poisson, kTolerance);
    EXPECT_NEAR(-s.lateral_z / s.axial, poisson, kTolerance);
    if (nu > 0) {
      EXPECT_LT(young, 0.97 * kYoung);  // not Hooke's law with the E and nu as written
      EXPECT_LT(poisson, 0.85 * nu);
    }
  }
}

// Three times the volume term's lambda gives back Hooke's law: E and nu of that term chosen with mu
// unchanged.
TEST_F(Uniaxial, ThreeTimesLambdaGivesHookeBack) {
  const double nu = 0.3, mu = kYoung / (2 * (1 + nu)), lambda = 3 * kYoung * nu / ((1 + nu) * (1 - 2 * nu));
  const double e3 = mu * (3 * lambda + 2 * mu) / (lambda + mu), nu3 = lambda / (2 * (lambda + mu));
  const Strain s =
      pull(fmt::format("[{{type: corotated, E: {:.17g}, nu: {}}}, {{type: volume, E: {:.17g}, nu: {:.17g}}}]",
                       kYoung, nu, e3, nu3),
           1e-6 * kYoung);
  EXPECT_NEAR(1e-6 * kYoung / s.axial, kYoung, kTolerance * kYoung);
  EXPECT_NEAR(-s.lateral_y / s.axial, nu, kTolerance);
}

// A finite stretch: lateral faces free of stress, P_11 = traction; from the published energies.
TEST_F(Uniaxial, FiniteStretchMatchesTheEnergyFormula) {
  const double nu = 0.3, mu = kYoung / (2 * (1 + nu)), lambda = kYoung * nu / ((1 + nu) * (1 - 2 * nu));
  const Strain n = pull(solid("neo_hookean", kYoung, nu), 0.3 * kYoung);
  const double s = 1 + n.axial, t = 1 + n.lateral_y, log_j = std::log(s * t * t);
  EXPECT_GT(s, 1.2);
  EXPECT_NEAR(mu * (s - 1 / s) + lambda * log_j / s, 0.3 * kYoung, 1e-8 * kYoung);
  EXPECT_NEAR(mu * (t - 1 / t) + lambda * log_j / t, 0, 1e-8 * kYoung);
  const Strain m = pull(solid("stable_neo_hookean", kYoung, nu), 0.3 * kYoung);
  const double p = 1 + m.axial, q = 1 + m.lateral_y, j = p * q * q;
  EXPECT_NEAR(mu * p + ((lambda + mu) * (j - 1) - mu) * q * q, 0.3 * kYoung, 1e-8 * kYoung);
  EXPECT_NEAR(mu * q + ((lambda + mu) * (j - 1) - mu) * p * q, 0, 1e-8 * kYoung);
}

}  // namespace
}  // namespace resilin::test

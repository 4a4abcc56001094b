// How static solutions scale with stiffness and load, and the equilibrium of an active muscle.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

Mat3X hanging_beam(const std::string& materials, double density, double gravity) {
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, {:.17g}]
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [8, 2, 2]}}}}
    density: {:.17g}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 0}}
)",
                                               -gravity, density, materials));
  const VecX x = settle(*sim, 0.1, 5);
  return as_columns(x) - as_columns(sim->system().initial_state().x);
}

class StaticLimits : public ::testing::TestWithParam<std::string> {};

TEST_P(StaticLimits, DoublingTheStiffnessHalvesASmallDeflection) {
  const Mat3X soft = hanging_beam(solid(GetParam(), 1e9, 0.3), 1000, 9.81),
              hard = hanging_beam(solid(GetParam(), 2e9, 0.3), 1000, 9.81);
  EXPECT_GT(soft.norm(), 1e-6);
  // Deflections of 1e-5 m in 0.4 m: nonlinear terms are of the relative size of the strain, 1e-5, or below.
  EXPECT_LT((soft - 2 * hard).norm(), 1e-4 * soft.norm());
}

TEST_P(StaticLimits, OnlyTheProductOfDensityAndGravityCounts) {
  // A large deflection this time; both reach the same equilibrium, to what the solver and the rounds leave.
  const Mat3X a = hanging_beam(solid(GetParam(), 2e5, 0.3), 1000, 9.81),
              b = hanging_beam(solid(GetParam(), 2e5, 0.3), 4000, 9.81 / 4);
  EXPECT_GT(a.cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((a - b).norm(), 1e-8 * a.norm());
}

TEST_P(StaticLimits, StiffnessAndLoadScaleTogether) {
  const Mat3X a = hanging_beam(solid(GetParam(), 2e5, 0.3), 1000, 9.81),
              b = hanging_beam(solid(GetParam(), 4e5, 0.3), 2000, 9.81);
  EXPECT_LT((a - b).norm(), 1e-8 * a.norm());
}

INSTANTIATE_TEST_SUITE_P(All, StaticLimits,
                         ::testing::Values("corotated_volume", "neo_hookean", "stable_neo_hookean"),
                         [](const auto& p) { return p.param; });

// psi = mu sum_i (s_i - 1)^2 + k/2 (s - a)^2 with free sides: 2 mu (s - 1) + k (s - a) = 0.
TEST(MuscleLimit, ShortensAFreeBarToTheBalanceOfBothSprings) {
  const double young = 1e5, mu = young / 2, k = 5e4, activation = 0.8;
  const double stretch = (2 * mu + k * activation) / (2 * mu + k);
  for (const char* element : {"hex8", "tet4"})
    for (const char* forward : {"newton", "pd", "pd_newton_krylov"}) {
      SCOPED_TRACE(std::string(element) + " " + forward);
      const auto sim = make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
bodies:
  bar:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 2, 2], element: {}}}}}
    materials: [{{type: corotated, E: {}, nu: 0}}, {{type: muscle, stiffness: {}, activation: {}}}]
    pins:  # planes of symmetry, on which the sides stay free
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}, axes: [x]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0.4, 0, 0.1]}}}}, axes: [y]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0.4, 0.1, 0]}}}}, axes: [z]}}
forward: {{type: {}, relative_tolerance: 0, absolute_tolerance: 1e-10, max_iterations: 20000}}
)",
                                                   element, young, k, activation, forward));
      const VecX x = settle(*sim, 1, 4);
      const Mat3X start = as_columns(sim->system().initial_state().x);
      const Mat3X exact = Vec3(stretch, 1, 1).asDiagonal() * start;
      EXPECT_LT((as_columns(x) - exact).cwiseAbs().maxCoeff(), 1e-8 * 0.4);
    }
}

}  // namespace
}  // namespace resilin::test

// A body without pins under gravity alone: implicit Euler has a closed form, and nothing deforms.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

struct FallCase {
  std::string element, materials, forward;
};

class FreeFall : public ::testing::TestWithParam<FallCase> {};

TEST_P(FreeFall, FollowsTheClosedFormOfImplicitEuler) {
  const FallCase& c = GetParam();
  const int steps = 20;
  const double h = 0.02;
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: {}, steps: {}}}
gravity: [0.5, -1.5, -9.81]
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.3, 0.2, 0.1], cells: [3, 2, 2], element: {}}}}}
    materials: {}
    initial: {{velocity: [1, -2, 3]}}
forward: {{type: {}}}
)",
                                               h, steps, c.element, solid(c.materials, 1e5, 0.4), c.forward));
  Tape tape;
  const RolloutReport report = sim->run(tape, true);
  EXPECT_EQ(report.steps, steps);
  const Vec3 g(0.5, -1.5, -9.81), v0(1, -2, 3);
  const State& start = tape.states.front();
  double rest_energy_scale = 0;
  for (const double m : sim->system().mass()) rest_energy_scale += m * 9.81 * 0.3;
  for (int k = 1; k <= steps; ++k) {
    const State& s = tape.states[static_cast<std::size_t>(k)];
    const Vec3 moved = k * h * v0 + h * h * 0.5 * k * (k + 1) * g, velocity = v0 + k * h * g;
    const Mat3X x = as_columns(start.x).colwise() + moved;
    // Without an elastic force the inertial prediction solves a step exactly: what is left is rounding, 1e-16
    // of a position in each of 20 steps, and that divided by h in the velocity.
    EXPECT_LT((as_columns(s.x) - x).norm(), 1e-12 * x.norm()) << "step " << k;
    EXPECT_LT((as_columns(s.v).colwise() - velocity).norm(), 1e-12 * as_columns(s.v).norm()) << "step " << k;
    // Energies are quadratic in the rounding of F (1e-15): nothing visible beside the body's m g l.
    EXPECT_LT(std::abs(sim->elastic_energy(s, k)), 1e-12 * rest_energy_scale) << "step " << k;
  }
}

std::vector<FallCase> fall_cases() {
  std::vector<FallCase> cases;
  for (const char* element : {"hex8", "tet4"})
    for (const char* materials : {"corotated_volume", "neo_hookean", "stable_neo_hookean"})
      for (const char* forward : {"newton", "pd", "pd_newton_krylov"})
        cases.push_back({element, materials, forward});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, FreeFall, ::testing::ValuesIn(fall_cases()), [](const auto& p) {
  return p.param.element + "_" + p.param.materials + "_" + p.param.forward;
});

}  // namespace
}  // namespace resilin::test

// The error of a swinging beam at a fixed time falls with the step as that of a first order method.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

State swing(const std::string& materials, int steps) {
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: {:.17g}, steps: {}}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: [6, 2, 2]}}}}
    density: 1000
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
forward: {{type: newton, relative_tolerance: 1e-10}}
)",
                                               0.2 / steps, steps, materials));
  Tape tape;
  sim->run(tape, false);
  return tape.states.back();
}

class ConvergenceOrder : public ::testing::TestWithParam<std::string> {};

TEST_P(ConvergenceOrder, IsOneForImplicitEuler) {
  const std::string materials = solid(GetParam(), 2e4, 0.4);
  // Extrapolated from steps h/32 and h/64, so that the reference's own error is of second order and does not
  // show.
  const State half = swing(materials, 1280), fine = swing(materials, 2560);
  const VecX x = 2 * fine.x - half.x, v = 2 * fine.v - half.v;
  std::vector<double> ex, ev;
  for (const int steps : {40, 80, 160, 320}) {
    const State s = swing(materials, steps);
    ex.push_back((s.x - x).norm());
    ev.push_back((s.v - v).norm());
  }
  for (std::size_t k = 0; k + 1 < ex.size(); ++k) {
    EXPECT_GT(ex[k], 1.5 * ex[k + 1]) << "step h/" << (1 << k);
    EXPECT_GT(ev[k], 1.5 * ev[k + 1]) << "step h/" << (1 << k);
  }
  // e = c1 h + c2 h^2: the order seen between h/4 and h/8 differs from one by about (c2/c1) h/8.
  EXPECT_NEAR(std::log2(ex[2] / ex[3]), 1, 0.1);
  EXPECT_NEAR(std::log2(ev[2] / ev[3]), 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, ConvergenceOrder, ::testing::Values("corotated_volume", "stable_neo_hookean"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace resilin::test

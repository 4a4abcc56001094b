// Small free vibrations of a cantilever against Euler and Bernoulli's first frequency.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

constexpr double kLength = 1, kHeight = 0.05, kYoung = 5e9, kDensity = 1000;

double euler_bernoulli() {
  // w = (1.8751/L)^2 sqrt(E I/(rho A)), I/A = H^2/12
  return 3.5160152 * std::sqrt(kYoung / kDensity / 12) * kHeight / (kLength * kLength);
}

/// Angular frequency of the first mode with `along` cells over the length, from steps of 1/40 of a period.
double frequency(const std::string& material, int along) {
  const double h = 2 * M_PI / euler_bernoulli() / 40, amplitude = 1e-5;
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: {}, steps: 60}}
gravity: [0, 0, 0]
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [{}, {}, {}], cells: [{}, 1, 1]}}}}
    density: {}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, {}, {}]}}}}}}]
forward: {{type: newton, relative_tolerance: 1e-10}}
)",
                                               h, kLength, kHeight, kHeight, along, kDensity,
                                               solid(material, kYoung, 0), kHeight, kHeight));
  System& s = sim->system();
  // Released from the shape under a force at the tip.
  VecX x = s.initial_state().x;
  for (Index i = 0; i < s.num_nodes(); ++i) {
    const double r = s.bodies()[0]->mesh.vertices(0, i) / kLength, bend = amplitude * r * r * (3 - r) / 2;
    const double slope = amplitude / kLength * r * (3 - 1.5 * r);
    x[3 * i] -= slope * (s.bodies()[0]->mesh.vertices(2, i) - kHeight / 2);
    x[3 * i + 2] += bend;
  }
  s.set_initial_base(x, VecX::Zero(x.size()));
  Tape tape;
  sim->run(tape, true);
  const Index tip = 3 * (s.num_nodes() - 1) + 2;
  const auto z = [&](std::size_t n) { return tape.states[n].x[tip] - kHeight; };
  // Implicit Euler takes (1 + w^2 h^2) z_n+1 = 2 z_n - z_n-1 exactly, mode by mode; least squares for w^2
  // h^2. The second mode (6.3 w) shrinks to 0.7 in each step and is gone after 20.
  double above = 0, below = 0;
  for (std::size_t n = 20; n + 1 < tape.states.size(); ++n) {
    above += (2 * z(n) - z(n - 1) - z(n + 1)) * z(n + 1);
    below += z(n + 1) * z(n + 1);
  }
  EXPECT_GT(std::sqrt(below), amplitude) << "there is enough left to measure";
  return std::sqrt(above / below) / h;
}

// nu = 0, as in the test of the static cantilever; one row of trilinear hexahedra of length a bends too
// stiffly by a^2/(2 H^2): its frequency is high by a quarter of (a/H)^2. Shear and rotary inertia lower it by
// some (H/L)^2 = 0.25 %.
TEST(Vibration, OfACantileverIsEulerBernoullis) {
  const double exact = euler_bernoulli();
  for (const char* material : {"linear_elastic", "fixed_corotated"}) {
    SCOPED_TRACE(material);
    const double coarse = frequency(material, 100), fine = frequency(material, 200);
    EXPECT_NEAR(fine, exact, 0.01 * exact);
    EXPECT_NEAR((coarse - fine) / exact, 0.25 * (0.04 - 0.01), 1e-3);
    const double extrapolated = fine + (fine - coarse) / 3;
    EXPECT_LT(extrapolated, exact) << "shear and rotary inertia";
    EXPECT_NEAR(extrapolated, exact, 0.005 * exact);
  }
}

}  // namespace
}  // namespace resilin::test

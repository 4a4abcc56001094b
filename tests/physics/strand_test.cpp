// Bodies of segments: the elastic catenary, the pitch of a string, masses.
#include "tests/physics/cable.hpp"
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

constexpr double kGravity = 9.81;

/// Largest distance of the vertices of a hanging chain of `cells` segments from the cable.
double hanging_error(int cells) {
  Cable cable{1.3, 1, 0.7 * kGravity, 40};
  cable.solve();
  EXPECT_NEAR(cable.at(cable.length).x(), cable.span, 1e-12);
  const double depth = std::sqrt(0.65 * 0.65 - 0.5 * 0.5), area = 1e-4;
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
bodies:
  chain:
    mesh: {{generator: {{type: polyline, points: [[0, 0, 0], [0.5, 0, {}], [1, 0, 0]], cells: {}}}}}
    density: {}
    cross_section: {}
    materials: [{{type: strand, E: {}}}]
    pins: [{{nodes: {{boundary: true}}}}]
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-9, max_iterations: 500}}
)",
                                               -depth, cells / 2, 0.7 / area, area, cable.stiffness / area));
  EXPECT_NEAR(sim->system().mass().sum(), 0.7 * cable.length, 1e-12);
  const VecX x = settle(*sim, 1, 60);
  double worst = 0;
  for (int i = 0; i <= cells; ++i)
    worst = std::max(worst, (x.segment<3>(3 * i) - cable.at(cable.length * i / cells)).norm());
  return worst;
}

TEST(HangingChain, ConvergesToTheElasticCatenaryWithSecondOrder) {
  const double coarse = hanging_error(16), middle = hanging_error(32), fine = hanging_error(64);
  EXPECT_LT(fine, 2e-4);
  EXPECT_NEAR(coarse / middle, 4, 0.3);
  EXPECT_NEAR(middle / fine, 4, 0.3);
}

class String : public SceneTest {
 protected:
  /// Frequency [Hz] of the lowest transverse mode of a string that is stretched by 1 % to 1 m.
  double frequency(const std::string& solver) const {
    const int cells = 40;
    const double rest = 1 / 1.01, exact = pitch(), h = 1 / exact / 60, amplitude = 1e-6;
    Mat3X start = Mat3X::Zero(3, cells + 1);
    for (int i = 0; i <= cells; ++i) {
      const double r = static_cast<double>(i) / cells;
      start.col(i) << r, 0, amplitude * std::sin(M_PI * r);
    }
    files_.write("start.csv", csv_text(start));
    const auto sim = simulation(fmt::format(R"(
time: {{step: {:.17g}, steps: 60}}
gravity: [0, 0, 0]
bodies:
  string:
    mesh: {{generator: {{type: polyline, points: [[0, 0, 0], [{:.17g}, 0, 0]], cells: {}}}}}
    density: 7800
    cross_section: 1e-6
    materials: [{{type: strand, E: 2e9}}]
    pins: [{{nodes: {{boundary: true}}}}]
    initial: {{positions: start.csv}}
forward: {{type: {}, relative_tolerance: 1e-10, max_iterations: 20000}}
)",
                                            h, rest, cells, solver));
    Tape tape;
    sim->run(tape, true);
    const Index middle = 3 * (cells / 2) + 2;
    const auto z = [&](std::size_t n) { return tape.states[n].x[middle]; };
    // Implicit Euler takes (1 + w^2 h^2) z_n+1 = 2 z_n - z_n-1: least squares for w^2 h^2.
    double above = 0, below = 0;
    for (std::size_t n = 1; n + 1 < tape.states.size(); ++n) {
      above += (2 * z(n) - z(n - 1) - z(n + 1)) * z(n + 1);
      below += z(n + 1) * z(n + 1);
    }
    EXPECT_GT(std::sqrt(below), amplitude) << "there is enough left to measure";
    return std::sqrt(above / below) / h / (2 * M_PI);
  }
  /// sqrt(T/mu)/(2 L): T = E A times the strain, mu the mass per stretched length.
  static double pitch() { return std::sqrt(2e9 * 0.01 / (7800 / 1.01)) / 2; }
};

// 40 segments are low by (pi/40)^2/24 = 0.03 %.
TEST_F(String, SoundsAsItsTensionAndMassSay) {
  for (const char* solver : {"newton", "pd", "pd_newton_krylov"})
    EXPECT_NEAR(frequency(solver) / pitch(), 1 - M_PI * M_PI / 1600 / 24, 1e-4) << solver;
}

// Pressed strings with tension_only carry no load: the falling ends meet nothing.
TEST(Strand, ThatMayGoSlackPullsButDoesNotPush) {
  const auto reaction = [](double stretch, bool tension_only) {
    const auto sim = make_simulation(fmt::format(
        "{{bodies: {{s: {{mesh: {{generator: {{type: polyline, cells: 1}}}}, cross_section: 0.01, materials: "
        "[{{type: strand, E: 1e4, tension_only: {}, transition: 0.02}}]}}}}}}",
        tension_only));
    Workspace ws;
    const VecX x = (VecX(6) << 0, 0, 0, 0, stretch, 0).finished();
    VecX g = VecX::Zero(6);
    sim->system().energies()[0]->add_gradient({}, x, g, ws);
    EXPECT_NEAR(g[1], -g[4], 1e-14);
    return g[4];
  };
  EXPECT_NEAR(reaction(1.1, false), 1e4 * 0.01 * 0.1, 1e-12);
  EXPECT_NEAR(reaction(0.9, false), -1e4 * 0.01 * 0.1, 1e-12);
  EXPECT_NEAR(reaction(1.1, true), 1e4 * 0.01 * (0.1 - 0.01), 1e-12);
  EXPECT_EQ(reaction(0.9, true), 0);
}

}  // namespace
}  // namespace resilin::test

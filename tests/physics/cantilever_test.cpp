// A slender beam that bends under its own weight, against Euler and Bernoulli's w = q L^4/(8 E I).
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

constexpr double kLength = 1, kHeight = 0.05, kYoung = 5e9, kDensity = 1000, kGravity = 9.81;

double tip_deflection(int along, int across) {
  const auto sim =
      make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, {}]
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [{}, {}, {}], cells: [{}, {}, {}]}}}}
    density: {}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, {}, {}]}}}}}}]
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-6}}
)",
                                  -kGravity, kLength, kHeight, kHeight, along, across, across, kDensity,
                                  solid("stable_neo_hookean", kYoung, 0), kHeight, kHeight));
  // The slowest mode has w = 3.516 sqrt(E I/(rho A L^4)) = 113 rad/s: each round leaves 1/12900 of the rest.
  const VecX x = settle(*sim, 1, 3);
  const Mat3X moved = as_columns(x) - as_columns(sim->system().initial_state().x);
  double tip = 0;
  int count = 0;
  for (Index i = 0; i < moved.cols(); ++i)
    if (sim->system().bodies()[0]->mesh.vertices(0, i) > kLength - 1e-9) tip -= moved(2, i), ++count;
  return tip / count;
}

// nu = 0, so that the clamped end does not hinder a lateral contraction. Beside the bending there is the
// shear of Timoshenko's beam, q L^2/(2 k G A) with k = 5/6 and G = E/2: 0.8 (H/L)^2 = 0.2 % more. With w/L =
// 1e-3 geometric nonlinearity is of the order 1e-6. A row of trilinear hexahedra of length a and height b
// bends too stiffly by a^2/(2 b^2) (parasitic shear), of which n rows over the height keep 1/n^2: 3.1 % with
// 80 x 2 x 2, 0.8 % with 160 x 4 x 4, of the opposite sign.
TEST(Cantilever, ApproachesEulerBernoulli) {
  const double inertia = std::pow(kHeight, 4) / 12, load = kDensity * kGravity * kHeight * kHeight;
  const double bending = load * std::pow(kLength, 4) / (8 * kYoung * inertia);
  const double timoshenko = bending * (1 + 0.8 * kHeight * kHeight);
  const double coarse = tip_deflection(80, 2), fine = tip_deflection(160, 4);
  EXPECT_NEAR(fine, bending, 0.02 * bending);
  EXPECT_NEAR(timoshenko / fine - 1, 1.0 / 128, 1e-3);  // the analysis above, to its own accuracy
  EXPECT_NEAR(timoshenko / coarse - 1, 1.0 / 32, 2e-3);
  const double order = std::log2((timoshenko - coarse) / (timoshenko - fine));
  EXPECT_NEAR(order, 2, 0.1);
  // Extrapolated to vanishing elements.
  EXPECT_NEAR(fine + (fine - coarse) / 3, timoshenko, 1e-3 * timoshenko);
}

}  // namespace
}  // namespace resilin::test

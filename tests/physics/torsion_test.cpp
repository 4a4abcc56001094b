// A square bar twisted by a small angle against Saint-Venant's T = G J theta/L.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

constexpr double kLength = 0.2, kWidth = 0.1, kAngle = 1e-3;
/// Of a square with side 1: J = 1/3 (1 - 192/pi^5 sum tanh(n pi/2)/n^5, n = 1, 3, ...) [Timoshenko and
/// Goodier 1970, section 109].
double square_constant() {
  double sum = 0;
  for (int n = 1; n < 30; n += 2) sum += std::tanh(n * M_PI / 2) / std::pow(n, 5);
  return (1 - 192 / std::pow(M_PI, 5) * sum) / 3;
}

/// Torque on the face x = L, with n x n cells over the section; faces turn in their plane and warp freely.
/// The solution does not change along x but for the turning, so that two cells are enough there.
double torque(const std::string& material, int n) {
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
bodies:
  bar:
    mesh: {{generator: {{type: box, size: [{0}, {1}, {1}], cells: [2, {2}, {2}]}}}}
    materials: [{3}]
    initial: {{twist: {{axis: [1, 0, 0], point: [0, {4}, {4}], rate: {5}}}}}
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, {1}, {1}]}}}}, axes: [y, z]}}
      - {{nodes: {{box: {{min: [{0}, 0, 0], max: [{0}, {1}, {1}]}}}}, axes: [y, z]}}
      - {{nodes: {{indices: [0]}}, axes: [x]}}
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-9}}
)",
                                               kLength, kWidth, n, material, kWidth / 2, kAngle / kLength));
  const VecX x = settle(*sim, 1, 4);
  const System& s = sim->system();
  VecX g = VecX::Zero(x.size());
  s.energies()[0]->add_gradient({}, x, g, sim->workspace());
  double sum = 0;
  for (Index i = 0; i < s.num_nodes(); ++i)
    if (s.bodies()[0]->mesh.vertices(0, i) > kLength - 1e-9) {
      const Vec3 r = x.segment<3>(3 * i) - Vec3(0, kWidth / 2, kWidth / 2), f = g.segment<3>(3 * i);
      sum += r.y() * f.z() - r.z() * f.y();
    }
  return sum;
}

// The warping is found in the space of the elements, so T comes from above and with the square of the cell
// size: extrapolated from 4 and 8 cells it is good to some 1e-4. Nonlinear parts are of the order of the
// square of the shear, 1e-7.
TEST(Torsion, OfASquareBarIsSaintVenants) {
  const double shear = 4e5;
  const double exact = shear * square_constant() * std::pow(kWidth, 4) * kAngle / kLength;
  EXPECT_NEAR(square_constant(), 0.140577, 1e-6);
  const std::string moduli = fmt::format("E: {:.17g}, nu: 0.3", 2.6 * shear);
  for (const std::string& material :
       {"{type: fixed_corotated, " + moduli + "}", "{type: st_venant_kirchhoff, " + moduli + "}",
        "{type: linear_elastic, " + moduli + "}",
        std::string("{type: mooney_rivlin, mu1: 3e5, mu2: 1e5, bulk: 1e6}")}) {
    SCOPED_TRACE(material);
    const double coarse = torque(material, 4), fine = torque(material, 8);
    EXPECT_GT(coarse, fine);
    EXPECT_GT(fine, exact);
    EXPECT_NEAR(fine, exact, 0.02 * exact);
    EXPECT_NEAR((coarse - exact) / (fine - exact), 4, 0.2);
    EXPECT_NEAR(fine + (fine - coarse) / 3, exact, 1e-3 * exact);
  }
}

}  // namespace
}  // namespace resilin::test

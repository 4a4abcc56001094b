// Cloth that stretches about the nearest isometry: a hanging sheet, limits of stretch, solvers, gradients.
#include "tests/physics/cable.hpp"
#include "tests/physics/statics.hpp"
#include "tests/support/gradcheck.hpp"
#include "tests/support/material_point.hpp"

namespace resilin::test {
namespace {

/// Largest distance of the vertices of a sheet that hangs between two edges from the elastic catenary.
double hanging_error(int cells) {
  constexpr double kWidth = 0.2;
  Cable cable{1.3, 1, 0.3 * 9.81 * kWidth, 60 * kWidth};
  cable.solve();
  const TestFolder folder;
  Mat3X start(3, 3 * (cells + 1));
  const double depth = std::sqrt(0.65 * 0.65 - 0.5 * 0.5);
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j < 3; ++j) {
      const double r = static_cast<double>(i) / cells;
      start.col(3 * i + j) << r, kWidth / 2 * j, -depth * (1 - std::abs(2 * r - 1));
    }
  const auto sim = make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
bodies:
  sheet:
    mesh: {{generator: {{type: grid, size: [1.3, {}], cells: [{}, 2]}}}}
    density: 0.3
    materials: [{{type: membrane_arap, stiffness: 60}}]
    initial: {{positions: "{}"}}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 1, 0]}}}}}}, {{nodes: {{box: {{min: [1.3, 0, 0], max: [1.3, 1, 0]}}}}}}]
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-9, max_iterations: 500}}
)",
                                               kWidth, cells, folder.write("start.csv", csv_text(start))));
  const VecX x = settle(*sim, 1, 60);
  double worst = 0;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j < 3; ++j) {
      Vec3 expected = cable.at(cable.length * i / cells);
      expected.y() = kWidth / 2 * j;
      worst = std::max(worst, (x.segment<3>(3 * (3 * i + j)) - expected).norm());
    }
  return worst;
}

TEST(Cloth, HangsAsAnElasticCatenaryWithSecondOrder) {
  const double coarse = hanging_error(16), middle = hanging_error(32), fine = hanging_error(64);
  EXPECT_LT(fine, 2e-4);
  EXPECT_NEAR(coarse / middle, 4, 0.3);
  EXPECT_NEAR(middle / fine, 4, 0.3);
}

/// Stretches of a surface turned in space, as a deformation gradient.
Mat3 stretched(double s0, double s1) {
  const Mat3 u = Eigen::AngleAxisd(0.9, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Mat3 v = Eigen::AngleAxisd(-0.4, Vec3::UnitZ()).toRotationMatrix();
  return u * Vec3(s0, s1, 0).asDiagonal() * v.transpose();
}

/// Largest relative gap between the tangent and differences of the stress in the directions of the surface.
double tangent_gap(Point& p, const Mat3& f) {
  const MatX c = p.tangent(f);
  double worst = 0;
  for (Index k = 0; k < 6; ++k) {
    const auto stress = [&](double s) -> VecX {
      Mat3 g = f;
      g.data()[k] += s;
      return p.stress(g).reshaped();
    };
    worst = std::max(worst, difference_gap(stress, c.col(k), 1e-2));
  }
  return worst;
}

TEST(Cloth, EnergyIsThatOfTheStretchesAndKeepsItsDigits) {
  Point p("membrane_arap", {{"stiffness", 50}});
  for (const auto& [s0, s1] : {std::pair{1.2, 0.7}, {0.3, 0.1}, {1.0, 1.0}, {3.0, 0.02}, {1.5, 1.5}}) {
    const double e = 25 * ((s0 - 1) * (s0 - 1) + (s1 - 1) * (s1 - 1));
    EXPECT_NEAR(p.energy(stretched(s0, s1)), e, 1e-13 * std::max(e, 1.0));
    EXPECT_LT(tangent_gap(p, stretched(s0, s1)), s1 < 0.1 ? 1e-5 : 1e-8) << s0 << ", " << s1;
  }
  // Strains of 1e-7 have energies of 1e-13: rounding of the stretches leaves 9 digits of them.
  EXPECT_NEAR(p.energy(stretched(1 + 2e-7, 1 - 1e-7)), 25 * 5e-14, 25 * 5e-14 * 1e-8);
  EXPECT_TRUE(std::isnan(p.energy(Vec3(1, 0, 0).asDiagonal())));
}

TEST(Cloth, AgreesWithTheMembraneOfTwiceItsShearModulus) {
  Point arap("membrane_arap", {{"stiffness", 2e5 / 1.3}}),
      other("membrane_corotated", {{"youngs_modulus", 2e5}, {"poissons_ratio", 0.3}});
  for (const auto& [s0, s1] : {std::pair{1.2, 0.7}, {0.6, 0.5}, {1.0, 1.0}}) {
    const Mat3 f = stretched(s0, s1);
    EXPECT_LT((arap.stress(f) - other.stress(f)).norm(), 1e-9);
    EXPECT_LT((arap.tangent(f) * VecX(f.reshaped()) - other.tangent(f) * VecX(f.reshaped())).norm(), 1e-8);
  }
}

TEST(Cloth, IsFreeBetweenItsLimitsAndHeldBackBeyondThem) {
  Point p("membrane_arap", {{"stiffness", 50}, {"min_stretch", 0.9}, {"max_stretch", 1.1}});
  EXPECT_EQ(p.energy(stretched(1.08, 0.93)), 0);
  EXPECT_EQ(p.stress(stretched(1.08, 0.93)).norm(), 0);
  const Mat3 f = stretched(1.4, 0.5), u = stretched(1, 0), v = stretched(0, 1);
  EXPECT_NEAR(p.energy(f), 25 * (0.3 * 0.3 + 0.4 * 0.4), 1e-13);
  EXPECT_LT((p.stress(f) - 50 * (0.3 * u - 0.4 * v)).norm(), 1e-13);
  for (const auto& [s0, s1] :
       {std::pair{1.4, 0.5}, {1.3, 1.2}, {1.3, 1.0}, {0.8, 0.6}, {1.0, 0.7}, {1.3, 1.3}, {0.7, 0.7}})
    EXPECT_LT(tangent_gap(p, stretched(s0, s1)), 1e-8) << s0 << ", " << s1;
  EXPECT_NEAR(p.param_vjp(f, u)[0], 0.3, 1e-14);
}

/// A sheet that hangs from two corners and flutters, bent by all kinds of bending.
constexpr const char* kFlutter = R"(
time: {step: 0.01, steps: 6}
bodies:
  sheet:
    mesh: {generator: {type: grid, size: [0.6, 0.4], cells: [6, 4]}}
    density: 0.2
    materials: [{type: membrane_arap, stiffness: 80}, {type: membrane_arap, stiffness: 300, max_stretch: 1.02}]
    pins: [{nodes: {indices: [0]}}]
    initial: {velocity: [0.5, 0.3, -1], angular_velocity: [3, -2, 4]}
energies:
  corner: {type: attachment, nodes: {indices: [30]}, stiffness: 1e3}
  bending: {type: hinge_bending, stiffness: 2e-3}
  light: {type: quadratic_bending, stiffness: 1e-3}
forward: {type: newton, relative_tolerance: 1e-12, absolute_tolerance: 0, max_iterations: 20000}
backward: {type: direct, relative_tolerance: 1e-12}
losses: [{loss: {type: linear_functional, positions: [1, -0.5, 2], frames: [3, 6]}}]
)";

TEST(Cloth, AllForwardSolversFindTheSameMotion) {
  std::vector<VecX> last;
  for (const char* type : {"newton", "newton_pcg", "pd_newton_krylov", "pd_lbfgs", "pd_anderson", "pd"}) {
    const auto sim = make_simulation(kFlutter, {std::string("forward.type=") + type});
    Tape tape;
    sim->run(tape, true);
    last.push_back(tape.states.back().x);
    EXPECT_LT(relative_error(last.back(), last.front()), 1e-9) << type;
  }
}

TEST(Cloth, AllBackwardSolversFindTheSameGradient) {
  std::vector<VecX> gradients;
  for (const char* type : {"direct", "pd_krylov", "pd_lbfgs"}) {
    const auto task = make_task(kFlutter, {std::string("backward.type=") + type});
    gradients.emplace_back();
    task->evaluate_table(gradients.back());
    EXPECT_LT(relative_error(gradients.back(), gradients.front()), 1e-8) << type;
  }
}

TEST(Cloth, GradientsAgreeWithDifferences) {
  const auto task = make_task(kFlutter);
  expect_gradients(*task, {"bodies.sheet.materials[0].stiffness", "bodies.sheet.materials[1].stiffness",
                           "bodies.sheet.density", "bodies.sheet.thickness", "energies.bending.stiffness",
                           "energies.light.stiffness", "bodies.sheet.initial.displacements",
                           "bodies.sheet.initial.velocities"});
}

TEST(Cloth, KeepsItsMomentumInFreeFlight) {
  const auto sim = make_simulation(kFlutter, {"gravity=[0, 0, 0]", "bodies.sheet.pins=[]",
                                              "energies.corner.stiffness=0", "time.steps=20"});
  const System& s = sim->system();
  Tape tape;
  sim->run(tape, true);
  const auto momentum = [&](const State& state) -> Vec3 { return as_columns(state.v) * s.mass(); };
  const Vec3 first = momentum(tape.states.front());
  for (const State& state : tape.states) EXPECT_LT((momentum(state) - first).norm(), 1e-10 * first.norm());
}

}  // namespace
}  // namespace resilin::test

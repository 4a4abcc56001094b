// Springs between vertices: discrete oscillation of two bodies, momentum, gradients.
#include "tests/physics/statics.hpp"
#include "tests/support/gradcheck.hpp"

#include <complex>
#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// Two cubes of 1 kg and 0.5 kg, 0.3 m apart along x, and springs between them.
std::string cubes(const std::string& springs, const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 20}}
gravity: [0, 0, 0]
bodies:
  left:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 1000
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
  right:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1], origin: [0.4, 0, 0]}}}}
    density: 500
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
energies:
  tie: {{type: springs, first: left, second: right, {}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}}
backward: {{type: direct, relative_tolerance: 1e-13}}
{})",
                     springs, rest);
}
/// Each vertex with its counterpart, so that both cubes are pulled without being deformed.
constexpr const char* kParallel =
    "first_vertices: [0, 1, 2, 3, 4, 5, 6, 7], second_vertices: [0, 1, 2, 3, 4, 5, 6, 7]";

TEST(Springs, TwoBodiesOscillateWithTheirReducedMass) {
  // 8 springs of rest distance 0.4 m that want 0.9 of it: the stretch is 0.04 m, w^2 = 8 k (1/m1 + 1/m2).
  const double k = 5, h = 0.01, w = std::sqrt(8 * k * (1 + 2)), start = 0.04;
  const auto sim = make_simulation(cubes(fmt::format("{}, stiffness: {}, length: 0.9", kParallel, k)));
  Tape tape;
  sim->run(tape, true);
  // x_n+1 - 2 x_n + x_n-1 = -w^2 h^2 x_n+1 from rest, see the test of attachments.
  const std::complex<double> one(1, 0), r = one / std::complex<double>(1, -w * h), slope = one - one / r;
  const std::complex<double> amplitude(start, slope.real() / slope.imag() * start);
  for (std::size_t n = 0; n < tape.states.size(); ++n) {
    const VecX& x = tape.states[n].x;
    const double stretch = x[24] - x[0] - 0.36;
    ASSERT_NEAR(stretch, (amplitude * std::pow(r, static_cast<double>(n))).real(), 1e-9) << "step " << n;
    ASSERT_NEAR(x[0], (start - stretch) / 3, 1e-9) << "the heavier body moves half as far";
  }
}

TEST(Springs, ConserveMomentumAndAngularMomentumOfTheForces) {
  const auto sim =
      make_simulation(cubes("first_nodes: {box: {min: [0.1, 0, 0], max: [0.1, 0.1, 0.1]}}, second_nodes: "
                            "{indices: [0, 2, 5]}, stiffness: [40, 20, 30, 25], length: 0.5"),
                      {"bodies.right.initial={velocity: [0.3, 0.5, -0.2], angular_velocity: [1, 2, 3]}"});
  const System& s = sim->system();
  Tape tape;
  sim->run(tape, true);
  const Vec3 before = as_columns(tape.states.front().v) * s.mass(),
             after = as_columns(tape.states.back().v) * s.mass();
  EXPECT_LT((after - before).norm(), 1e-10 * before.norm());
  // Internal forces have no torque; implicit Euler itself loses angular momentum.
  VecX g = VecX::Zero(s.num_dofs());
  s.energies().back()->add_gradient({0, 0.01, 0}, tape.states.back().x, g, sim->workspace());
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double size = 0;
  for (Index i = 0; i < g.size(); i += 3) {
    force += g.segment<3>(i);
    torque += tape.states.back().x.segment<3>(i).cross(g.segment<3>(i));
    size += g.segment<3>(i).norm();
  }
  EXPECT_GT(size, 1);
  EXPECT_LT(force.norm(), 1e-14 * size);
  EXPECT_LT(torque.norm(), 1e-14 * size);
}

TEST(Springs, TieNearestVerticesWithoutStress) {
  const auto sim = make_simulation(cubes("max_distance: 0.31, stiffness: 100"));
  const System& s = sim->system();
  // Four pairs of facing corners; at their natural length they carry nothing.
  const VecX x = s.initial_state().x;
  VecX g = VecX::Zero(s.num_dofs());
  EXPECT_NEAR(s.energies().back()->value({}, x, sim->workspace()), 0, 1e-20);
  s.energies().back()->add_gradient({}, x, g, sim->workspace());
  EXPECT_LT(g.norm(), 1e-12);
  Triplets form;
  s.energies().back()->add_quadratic_form(form);
  EXPECT_EQ(form.size(), 16U);
  VecX moved = x;
  for (Index i = 24; i < x.size(); i += 3) moved[i] += 0.1;
  EXPECT_NEAR(s.energies().back()->value({}, moved, sim->workspace()), 4 * 50 * 0.01, 1e-12);
}

TEST(Springs, InOneBodyCountEachPairOnce) {
  const std::string text = cubes("stiffness: 100");
  const auto sim =
      make_simulation(text, {"energies.tie={type: springs, first: left, stiffness: 100, length: 0.5}"});
  // The nearest vertices of a corner are 0.1 m away along an edge; ties go to the lowest index.
  Triplets form;
  sim->system().energies().back()->add_quadratic_form(form);
  std::set<std::pair<Index, Index>> off_diagonal;
  for (const auto& t : form)
    if (t.row() < t.col()) {
      EXPECT_TRUE(off_diagonal.insert({t.row(), t.col()}).second) << t.row() << " " << t.col();
    }
  EXPECT_GE(off_diagonal.size(), 4U);
  EXPECT_LE(off_diagonal.size(), 8U);
}

TEST(Springs, OfLengthZeroHoldEndsTogetherWhereTheyMeet) {
  const auto sim = make_simulation(
      cubes("first_vertices: [4], second_vertices: [0], stiffness: 1e9, length: 0, length_unit: metre"),
      {"bodies.right.mesh.generator.origin=[0.1, 0, 0]", "bodies.right.initial.velocity=[0, 0.1, 0]"});
  const System& s = sim->system();
  const Mat3X x0 = as_columns(s.initial_state().x);
  ASSERT_LT((x0.col(4) - x0.col(8)).norm(), 1e-15) << "the test takes corners that coincide";
  Tape tape;
  sim->run(tape, true);
  const Mat3X x = as_columns(tape.states.back().x);
  EXPECT_GT((x.col(8) - x0.col(8)).norm(), 1e-3);
  EXPECT_LT((x.col(8) - x.col(4)).norm(), 1e-6);
}

TEST(Springs, PassTheGradientCheck) {
  const auto task = make_task(
      cubes(
          "first_nodes: {box: {min: [0.1, 0, 0], max: [0.1, 0.1, 0.1]}}, second_nodes: {indices: [0, 2, 5]}, "
          "stiffness: [40, 20, 30, 25], length: [0.5, 0.6, 0.7, 1.2]",
          "losses: [{loss: {type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.01, 0, "
          "0.02]}}]\n"),
      {"bodies.right.initial={velocity: [0.3, 0.5, -0.2], angular_velocity: [1, 2, 3]}",
       "bodies.left.pins=[{nodes: {indices: [0, 1, 2]}}]", "time.steps=6"});
  expect_gradients(*task, {"energies.tie.stiffness", "energies.tie.length", "bodies.right.initial.velocity"});
}

TEST(Springs, EverySolverFindsTheSameMotion) {
  const std::string scene = cubes(fmt::format("{}, stiffness: 100, length: 0.7", kParallel));
  Tape exact;
  make_simulation(scene)->run(exact, true);
  for (const char* forward : {"pd", "pd_newton_krylov"}) {
    Tape tape;
    make_simulation(
        scene,
        {fmt::format("forward={{type: {}, relative_tolerance: 1e-11, max_iterations: 20000}}", forward)})
        ->run(tape, true);
    EXPECT_LE((tape.states.back().x - exact.states.back().x).cwiseAbs().maxCoeff(), 1e-8) << forward;
  }
}

std::string error_of(const std::string& text) {
  try {
    make_simulation(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Springs, SayWhatIsWrong) {
  const auto expect = [](const std::string& options, const char* key, const char* message) {
    const std::string text = error_of(cubes(options));
    EXPECT_THAT(text, ::testing::HasSubstr(key));
    EXPECT_THAT(text, ::testing::HasSubstr(message));
  };
  EXPECT_EQ(error_of(cubes("stiffness: 1")), "no error");
  expect("first_vertices: [0, 1], second_vertices: [0]", "energies.tie.second_vertices", "1 vertices given");
  expect("first_vertices: [8], second_vertices: [0]", "energies.tie.first_vertices",
         "body left has 8 vertices");
  expect("max_distance: 0.1", "energies.tie", "as near as max_distance");
  expect("second_nodes: {sphere: {center: [9, 9, 9], radius: 1}}", "energies.tie.second_nodes",
         "matches no vertex");
  expect("stiffness: [1, 2]", "energies.tie.stiffness", "one or 8");
  expect("length: {steps: [1, 2]}", "energies.tie.length", "cannot change from step to step");
}

/// A sheet of springs of 2 x 1 square cells of edge 1, its diagonals parallel.
std::string spring_sheet(const std::string& rule) {
  return "{bodies: {s: {mesh: {generator: {type: grid, size: [2, 1], cells: [2, 1], diagonals: parallel}}, "
         "materials: [{type: membrane_arap, stiffness: 1e-9}]}}, energies: {k: {type: springs, stiffness: "
         "50, " +
         rule + "}}}";
}

// Stretched by s along x: 4 edges and 2 diagonals of length hypot(s, 1); across the inner edge and the two
// diagonals the corners are hypot(2 s, 1) and, of each cell, its other diagonal apart.
TEST(Springs, ConnectASurfaceAlongAndAcrossItsEdges) {
  const double s = 1.3, d = std::hypot(s, 1), r = std::sqrt(2.0), far = std::hypot(2 * s, 1) - std::sqrt(5.0);
  const auto energy = [&](const std::string& rule) {
    const auto sim = make_simulation(spring_sheet(rule));
    VecX x = sim->system().initial_state().x;
    for (Index i = 0; i < x.size(); i += 3) x[i] *= s;
    Workspace ws;
    return sim->system().energies()[1]->value({}, x, ws);
  };
  EXPECT_NEAR(energy("connect: edges"), 25 * (4 * 0.3 * 0.3 + 2 * (d - r) * (d - r)), 1e-12);
  EXPECT_NEAR(energy("connect: across"), 25 * (far * far + 2 * (d - r) * (d - r)), 1e-12);
  EXPECT_NEAR(energy("connect: edges, first_nodes: {box: {min: [0, 0, 0], max: [2, 0, 0]}}"), 25 * 2 * 0.09,
              1e-12);
  const auto mistake = [](const std::string& yaml) -> std::string {
    try {
      make_simulation(yaml);
    } catch (const Error& e) {
      return e.what();
    }
    return "no mistake";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(mistake(spring_sheet("connect: edges, first_vertices: [0], second_vertices: [1]")),
              HasSubstr("connects vertices of one surface"));
  EXPECT_THAT(mistake(spring_sheet("connect: across, first_nodes: {indices: [0]}")),
              HasSubstr("no two of the selected vertices"));
  EXPECT_THAT(
      mistake("{bodies: {b: {mesh: {generator: {type: box}}, materials: [corotated]}}, energies: {k: {type: "
              "springs, connect: edges}}}"),
      HasSubstr("is a rule for surfaces (tri3)"));
}

}  // namespace
}  // namespace resilin::test

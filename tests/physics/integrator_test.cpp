// BDF2, quasi-static steps, damping, moving and releasing pins: orders, closed forms and gradients.
#include "core/optim/gradcheck.hpp"
#include "tests/physics/statics.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace resilin::test {
namespace {

/// One free hexahedron.
std::string falling(const std::string& integrator, double damping) {
  return fmt::format(R"(
time: {{step: 0.01, steps: 40}}
integrator: {}
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    materials: {}
    damping: {{mass: {}}}
    initial: {{velocity: [1, 0, 0]}}
)",
                     integrator, solid("corotated_volume", 1e5, 0.3), damping);
}

std::string swinging(const std::string& integrator, int steps, const std::string& extra = "") {
  return fmt::format(R"(
time: {{step: {:.17g}, steps: {}}}
integrator: {}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: [4, 1, 1]}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
    {}
forward: {{type: newton, relative_tolerance: 1e-11}}
)",
                     0.2 / steps, steps, integrator, solid("corotated_volume", 5e4, 0.4), extra);
}

State end_of(const std::string& yaml) {
  const auto sim = make_simulation(yaml);
  Tape tape;
  sim->run(tape, false);
  return tape.states.back();
}

TEST(Bdf2, FreeFallIsExactOnceTheFirstStepIsOver) {
  const auto sim = make_simulation(falling("bdf2", 0));
  Tape tape;
  sim->run(tape, true);
  // v+ = (4 v_n - v_n-1 + 2 h g)/3 gives v_n = n h g; x_n = h^2 g (n^2/2 + c): c is what implicit Euler's
  // first step leaves, h^2 g instead of h^2 g/2.
  const double h = 0.01, g = -9.81;
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    const double t = h * static_cast<double>(n);
    EXPECT_NEAR(tape.states[n].v[2], g * t, 1e-10);
    const double lag = tape.states[n].x[2] - 0.5 * g * t * t;
    EXPECT_LT(std::abs(lag), 1.01 * 0.75 * h * h * std::abs(g)) << n;
  }
}

TEST(Bdf2, IsOfSecondOrder) {
  for (const std::string damping : {"", "damping: {mass: 2, stiffness: 0.003}"}) {
    SCOPED_TRACE(damping);
    const State half = end_of(swinging("bdf2", 640, damping)), fine = end_of(swinging("bdf2", 1280, damping));
    const VecX x = (4 * fine.x - half.x) / 3, v = (4 * fine.v - half.v) / 3;
    std::vector<double> ex, ev;
    for (const int steps : {40, 80, 160}) {
      const State s = end_of(swinging("bdf2", steps, damping));
      ex.push_back((s.x - x).norm());
      ev.push_back((s.v - v).norm());
    }
    EXPECT_NEAR(std::log2(ex[1] / ex[2]), 2, 0.25);
    EXPECT_NEAR(std::log2(ev[1] / ev[2]), 2, 0.25);
    const State euler = end_of(swinging("implicit_euler", 160, damping));
    EXPECT_GT((euler.x - x).norm(), 5 * ex[2]);
  }
}

TEST(Damping, MassProportionalSlowsAsTheClosedFormOfTheScheme) {
  // Implicit Euler: v+ = (v + h g)/(1 + alpha h).
  const auto sim = make_simulation(falling("implicit_euler", 3));
  Tape tape;
  sim->run(tape, true);
  double vx = 1, vz = 0;
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    vx /= 1.03;
    vz = (vz - 0.0981) / 1.03;
    EXPECT_NEAR(tape.states[n].v[0], vx, 1e-9);
    EXPECT_NEAR(tape.states[n].v[2], vz, 1e-9);
  }
  // BDF2 to the solution of v' = -alpha v: e^-1.2, to second order.
  EXPECT_NEAR(end_of(falling("bdf2", 3)).v[0], std::exp(-1.2), 2e-4);
}

TEST(Damping, OfStiffnessKeepsMomentaAndTakesEnergy) {
  const std::string yaml = R"(
time: {step: 0.002, steps: 60}
gravity: [0, 0, 0]
bodies:
  block:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: )" + solid("corotated_volume", 1e5, 0.3) +
                           R"(
    damping: {stiffness: 0.01}
    initial: {twist: {axis: [1, 0, 0], rate: 4}, velocity: [0.3, 0, 0.1], angular_velocity: [0, 2, 0]}
forward: {type: newton, relative_tolerance: 1e-11}
)";
  const auto damped = make_simulation(yaml),
             free = make_simulation(yaml, {"bodies.block.damping.stiffness=0"});
  Tape a, b;
  damped->run(a, true);
  free->run(b, true);
  const System& s = damped->system();
  const auto momentum = [&](const State& state) { return Vec3(as_columns(state.v) * s.mass()); };
  for (const State& state : a.states) EXPECT_LT((momentum(state) - momentum(a.states[0])).norm(), 1e-9);
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < a.states.size(); ++k) {
    const double e =
        s.kinetic_energy(a.states[k]) + damped->elastic_energy(a.states[k], static_cast<Index>(k));
    EXPECT_LT(e, last * (1 + 1e-12)) << k;
    last = e;
  }
  const double left = damped->elastic_energy(a.states.back(), 60),
               left_free = free->elastic_energy(b.states.back(), 60);
  EXPECT_LT(left, 0.5 * left_free);
}

TEST(QuasiStatic, FindsTheEquilibriumThatDynamicsSettleTo) {
  const std::string yaml = swinging("{type: quasi_static, load_steps: 4}", 4);
  const auto statics = make_simulation(yaml);
  Tape tape;
  statics->run(tape, true);
  const auto dynamic = make_simulation(swinging("implicit_euler", 4),
                                       {"forward.absolute_tolerance=1e-9", "forward.relative_tolerance=0"});
  const VecX x = settle(*dynamic, 10, 40);
  EXPECT_LT((tape.states.back().x - x).norm(), 1e-8 * x.norm());
  EXPECT_TRUE(tape.states.back().v.isZero(0));
  // A quarter of the load at the first step: for this small bending, near a quarter of the deflection.
  const Index tip = statics->system().num_nodes() - 1;
  const double z0 = tape.states[0].x[3 * tip + 2];
  EXPECT_NEAR((tape.states[1].x[3 * tip + 2] - z0) / (tape.states[4].x[3 * tip + 2] - z0), 0.25, 0.05);
}

TEST(QuasiStatic, SaysThatAFreeBodyHasNoEquilibrium) {
  const auto sim = make_simulation(falling("quasi_static", 0));
  Tape tape;
  try {
    sim->run(tape, true);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_NE(std::string(e.what()).find("without pins"), std::string::npos) << e.what();
  }
}

TEST(MovingPins, FollowTheirMotionExactlyAndLetGo) {
  const auto sim = make_simulation(R"(
time: {step: 0.01, steps: 20}
gravity: [0, 0, 0]
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}
    materials: )" + solid("corotated_volume", 5e4, 0.4) +
                                   R"(
    pins:
      - nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}
      - nodes: {box: {min: [0.3, 0, 0], max: [0.3, 0.1, 0.1]}}
        motion: {type: rotation, axis: [1, 0, 0], point: [0, 0.05, 0.05], rate: 3}
        release: 0.1
)");
  Tape tape;
  sim->run(tape, true);
  const Mat3X& rest = sim->system().bodies()[0]->mesh.vertices;
  for (std::size_t k = 1; k < tape.states.size(); ++k) {
    const double t = 0.01 * static_cast<double>(k);
    const Mat3 turn = Eigen::AngleAxisd(3 * t, Vec3::UnitX()).toRotationMatrix();
    const Vec3 center(0, 0.05, 0.05);
    double off = 0;
    for (Index i = 0; i < rest.cols(); ++i)
      if (rest(0, i) > 0.29)
        off = std::max(off,
                       (as_columns(tape.states[k].x).col(i) - center - turn * (rest.col(i) - center)).norm());
    if (k <= 10)
      EXPECT_LT(off, 1e-14) << k;
    else
      EXPECT_GT(off, 5e-4) << k;  // springs back
  }
}

TEST(MovingPins, ATranslatedBodyFollowsWithoutStrainInTheLimitOfNoInertia) {
  const auto sim = make_simulation(R"(
time: {step: 0.1, steps: 4}
gravity: [0, 0, 0]
integrator: quasi_static
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}
    materials: )" + solid("corotated_volume", 5e4, 0.4) +
                                   R"(
    pins:
      - nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}
        motion: {type: key_frames, times: [0, 0.2, 0.4], offsets: [[0, 0, 0], [0.2, 0, 0], [0.2, 0.4, 0]]}
forward: {type: newton, relative_tolerance: 1e-12}
)");
  Tape tape;
  sim->run(tape, true);
  const Mat3X& rest = sim->system().bodies()[0]->mesh.vertices;
  const std::array<Vec3, 5> offset = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0.2, 0, 0), Vec3(0.2, 0.2, 0),
                                      Vec3(0.2, 0.4, 0)};
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_LT(((as_columns(tape.states[k].x) - rest).colwise() - offset[k]).norm(), 1e-9) << k;
}

struct GradientCase {
  std::string name, integrator;
};
class IntegratorGradient : public SceneTest, public ::testing::WithParamInterface<GradientCase> {};

/// Damping, moving pins of both kinds, one of which lets go, forces and loads: every group of parameters.
TEST_P(IntegratorGradient, AgreesWithCentralDifferences) {
  Mat3X a(3, 16), b(3, 16);
  for (Index i = 0; i < a.size(); ++i) {
    a.data()[i] = std::sin(0.7 * static_cast<double>(i) + 0.3);
    b.data()[i] = 0.05 * std::cos(0.3 * static_cast<double>(i) + 0.1);
  }
  files_.write("a.csv", csv_text(a));
  files_.write("b.csv", csv_text(b));
  const auto t = task(fmt::format(R"(
time: {{step: 0.02, steps: 6}}
integrator: {}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}}}
    materials: [{{type: corotated, E: 3e4, nu: 0.35}}, {{type: volume, E: 3e4, nu: 0.35}}]
    damping: {{mass: 1.5, stiffness: 0.004}}
    pins:
      - nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}
        motion: {{type: key_frames, interpolation: cubic, times: [0, 0.05, 0.08, 0.12],
                 offsets: [[0, 0, 0], [0.01, 0.004, 0], [0.02, 0, 0.01], [0, 0.01, 0]]}}
      - nodes: {{box: {{min: [0.3, 0, 0], max: [0.3, 0.1, 0]}}}}
        axes: [y, z]
        motion: {{type: rotation, axis: [1, 0.2, 0], point: [0.1, 0.05, 0.05], rate: 1.5,
                 times: [0, 0.06], angles: [0, 0.2]}}
        release: 0.08
    initial: {{velocity: [0.1, 0.05, 0], angular_velocity: [0.5, 1, 0]}}
forces:
  push: {{type: nodal_force, force: [0.1, 0.05, -0.1]}}
losses: [{{loss: {{type: linear_functional, positions: {{file: a.csv}}, velocities: {{file: b.csv}}}}}}]
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0}}
backward: {{type: direct, relative_tolerance: 1e-12}}
)",
                                  GetParam().integrator));
  GradcheckOptions options;
  options.coordinates = 2;
  options.random_directions = 1;
  const GradcheckReport report = check_gradient(*t, options);
  EXPECT_TRUE(report.passed);
  std::size_t resolved = 0;
  std::set<std::string> seen;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << ", " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference << ", error " << row.error;
    if (row.below_noise) continue;
    ++resolved;
    seen.insert(row.path);
  }
  EXPECT_GE(2 * resolved, report.rows.size());
  for (const char* path : {"bodies.beam.pins[0].motion.offsets", "bodies.beam.materials[0].youngs_modulus",
                           "gravity", "forces.push.force"})
    EXPECT_EQ(seen.count(path), 1U) << path;
  if (GetParam().name == "quasi_static") return;
  for (const char* path : {"bodies.beam.pins[1].motion.rate", "bodies.beam.pins[1].motion.angles",
                           "bodies.beam.pins[1].motion.point", "bodies.beam.damping.mass",
                           "bodies.beam.damping.stiffness", "bodies.beam.density"})
    EXPECT_EQ(seen.count(path), 1U) << path;
}

INSTANTIATE_TEST_SUITE_P(
    All, IntegratorGradient,
    ::testing::Values(GradientCase{"implicit_euler", "implicit_euler"}, GradientCase{"bdf2", "bdf2"},
                      GradientCase{"quasi_static", "{type: quasi_static, load_steps: 3}"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace resilin::test

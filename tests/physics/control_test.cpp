// Closed-loop control: a PD controller's frequency and decay, and gradients through the loop.
#include "core/base/parallel.hpp"
#include "core/optim/gradcheck.hpp"
#include "tests/physics/statics.hpp"

#include <cmath>
#include <cstring>

namespace resilin::test {
namespace {

/// A cell of edge L, its left side held, its right side free along x, filled by a muscle whose target stretch
/// is a = 1 - p u - d v, u = x - L and v those of the right side. With the stiffness K = k L and the mass m =
/// rho L^3 / 2 of the right side: m u'' = -K (u + L (p u + d v)).
struct Oscillator {
  double length = 0.2, stiffness = 5e3, density = 800, p = 3, d = 0.05;
  double K() const { return stiffness * length; }
  double mass() const { return 0.5 * density * length * length * length; }
  double omega() const { return std::sqrt(K() * (1 + length * p) / mass()); }  ///< [1/s]
  double decay() const { return 0.5 * K() * length * d / mass(); }             ///< [1/s]

  std::vector<State> simulate(double h, int steps, double u0) const {
    const auto sim = make_simulation(fmt::format(R"(
time: {{step: {0}, steps: {1}}}
gravity: [0, 0, 0]
bodies:
  cell:
    mesh: {{generator: {{type: box, size: [{2}, {2}, {2}], cells: [1, 1, 1]}}}}
    density: {3}
    materials: [{{type: muscle, stiffness: {4}}}]
    pins:
      - {{nodes: {{plane: {{point: [0, 0, 0], normal: [-1, 0, 0]}}}}}}
      - {{nodes: {{plane: {{point: [{2}, 0, 0], normal: [1, 0, 0]}}}}, axes: [y, z]}}
    initial: {{displacements: {5}}}
controllers:
  pd:
    sensors:
      - {{type: centroid_motion, axes: x, nodes: {{plane: {{point: [{2}, 0, 0], normal: [1, 0, 0]}}}}}}
      - {{type: centroid_motion, axes: x, quantity: velocity, nodes: {{plane: {{point: [{2}, 0, 0], normal: [1, 0, 0]}}}}}}
    law: {{type: affine, weights: [{6}, {7}, {8}]}}
    drives: [{{parameter: "bodies.cell.materials[0].activation"}}]
forward: {{type: newton, relative_tolerance: 1e-13}}
)",
                                                 h, steps, length, density, stiffness, right_side(u0), -p, -d,
                                                 1 + p * length));
    Tape tape;
    sim->run(tape, true);
    return tape.states;
  }
  static std::string right_side(double u0) {
    std::string rows;
    const Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
    for (Index i = 0; i < 8; ++i)
      rows += fmt::format("{}[{}, 0, 0]", i ? ", " : "[", mesh.vertices(0, i) > 0.5 ? u0 : 0.0);
    return rows + "]";
  }
  static Index right() {
    const Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
    Index node = 0;
    while (mesh.vertices(0, node) < 0.5) ++node;
    return node;
  }
};

// Implicit Euler with a control that is held during the step has this recurrence, to rounding and the
// solver's tolerance.
TEST(Control, APdControllerOnAMuscleFollowsItsRecurrence) {
  const Oscillator o;
  const double h = 2e-3, u0 = 0.02;
  const auto states = o.simulate(h, 100, u0);
  double u = u0, v = 0;
  for (std::size_t n = 1; n < states.size(); ++n) {
    const double control = o.length * (o.p * u + o.d * v), before = u;
    u = (u + h * v - h * h * o.K() / o.mass() * control) / (1 + h * h * o.K() / o.mass());
    v = (u - before) / h;
    ASSERT_NEAR(states[n].x[3 * Oscillator::right()] - o.length, u, 1e-11 * u0) << "step " << n;
  }
}

// ... and converges with order one to the damped oscillation of theory.
TEST(Control, ItsFrequencyAndDecayAreThoseOfTheory) {
  const Oscillator o;
  const double u0 = 0.02, end = 0.4, c = o.decay(), w = std::sqrt(o.omega() * o.omega() - c * c);
  EXPECT_GT(w * end, 6) << "about a period or more";
  EXPECT_GT(c * end, 0.5);
  const auto error = [&](int steps) {
    const auto states = o.simulate(end / steps, steps, u0);
    double worst = 0;
    for (const State& s : states) {
      const double exact = u0 * std::exp(-c * s.t) * (std::cos(w * s.t) + c / w * std::sin(w * s.t));
      worst = std::max(worst, std::abs(s.x[3 * Oscillator::right()] - o.length - exact));
    }
    return worst / u0;
  };
  const double coarse = error(2000), fine = error(4000);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

/// A beam of four muscles under a small network that sees everything that there is to see.
std::string swimmer(const std::string& more, int steps = 20, const std::string& cells = "[4, 2, 2]") {
  return fmt::format(R"(
time: {{step: 0.01, steps: {}}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: {}}}}}
    density: 1000
    regions:
      a: {{box: {{min: [0, 0, 0], max: [0.4, 0.05, 0.1]}}}}
      b: {{box: {{min: [0, 0.05, 0], max: [0.4, 0.1, 0.1]}}}}
    materials:
      - {{type: corotated, E: 2e5, nu: 0.4}}
      - {{type: volume, E: 2e5, nu: 0.4}}
      - {{type: muscle, stiffness: 1e5, activation: {{regions: {{a: 1, b: 1}}}}}}
      - {{type: muscle, stiffness: 5e4, fibre: [0, 1, 1], activation: 1}}
    initial: {{velocity: [0.1, 0.2, -0.1], angular_velocity: [1, -2, 3]}}
controllers:
  swim:
    sensors:
      - {{type: centroid_motion, scale: 3}}
      - {{type: centroid_motion, quantity: velocity, scale: 0.5}}
      - {{type: vertex_motion, nodes: {{indices: [0, 7, 20]}}, scale: 5}}
      - {{type: vertex_motion, quantity: velocity, axes: [y, z], nodes: {{indices: [3, 11]}}}}
      - {{type: clock, period: 0.13}}
    law: {{type: mlp, hidden: [6, 5], lower: 0.7, upper: 1.3, seed: 3}}
    drives:
      - {{parameter: "bodies.beam.materials[2].activation"}}
      - {{parameter: "bodies.beam.materials[3].activation", output: 0, gain: -1, offset: 2}}
losses:
  - {{loss: {{type: reach_target, target: [0.5, 0.1, 0.1]}}}}
  - {{weight: 0.3, loss: {{type: reach_target, quantity: velocity, target: [0.1, 0, 0], frames: [1, 3]}}}}
{})",
                     steps, cells, more);
}

const char* const kTight =
    "forward: {type: newton, relative_tolerance: 1e-12, absolute_tolerance: 0}\n"
    "backward: {type: direct, relative_tolerance: 1e-12}\n"
    "on_failure: halve_step\n";

GradcheckReport checked(Task& task, const std::vector<std::string>& paths) {
  GradcheckOptions options;
  options.tolerance = 1e-6;
  options.coordinates = 2;
  options.random_directions = 1;
  options.paths = paths;
  const GradcheckReport report = check_gradient(task, options);
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << ", " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference << ", error " << row.error;
    // A single weight may matter to no one: that of a velocity, where nothing moves.
    if (row.direction.rfind("coordinate", 0) == 0 && row.below_noise) continue;
    EXPECT_FALSE(row.below_noise) << row.path << ", " << row.direction;
    EXPECT_LT(row.error, options.tolerance) << row.path << ", " << row.direction;
  }
  return report;
}

const std::vector<std::string> kPaths = {"controllers.swim.law.weights",
                                         "bodies.beam.initial.velocity",
                                         "bodies.beam.initial.displacements",
                                         "bodies.beam.initial.velocities",
                                         "bodies.beam.density",
                                         "bodies.beam.materials[0].youngs_modulus",
                                         "bodies.beam.materials[2].stiffness"};

struct LoopCase {
  std::string name, more;
};

class ControlGradient : public ::testing::TestWithParam<LoopCase> {};

// 20 steps through the loop: every weight by the direction of the gradient and by random ones.
TEST_P(ControlGradient, OfARolloutAgreesWithDifferences) {
  const auto task = make_task(swimmer(kTight + GetParam().more));
  checked(*task, kPaths);
}

INSTANTIATE_TEST_SUITE_P(Loops, ControlGradient,
                         ::testing::Values(LoopCase{"implicit_euler", ""},
                                           LoopCase{"bdf2", "integrator: bdf2\n"}),
                         [](const auto& p) { return p.param.name; });

VecX gradient_of(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  const auto task = make_task(scene, overrides);
  VecX gradient;
  task->evaluate_table(gradient);
  return gradient;
}

bool same_bits(const VecX& a, const VecX& b) {
  return a.size() == b.size() && a.norm() > 0 &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

struct Disturbance {
  std::string name, before, text, override = "name=loop";
  std::string path = "bodies.beam.initial.velocity";  ///< checked besides the weights
};

class ControlGradientUnder : public ::testing::TestWithParam<Disturbance> {};

// The ground stops the beam; Rayleigh damping; a solver that may not do enough iterations for a whole step,
// so that some are split.
TEST_P(ControlGradientUnder, AgreesWithDifferences) {
  std::string scene = swimmer(kTight, 8);
  scene.replace(scene.find(GetParam().before), 0, GetParam().text);
  const auto task = make_task(scene, {GetParam().override});
  Tape tape;
  const RolloutReport report = task->simulation().run(tape, true);
  if (GetParam().name == "contact") {
    EXPECT_FALSE(tape.records.back().contacts.empty());
  }
  if (GetParam().name == "halved_steps") {
    EXPECT_GT(report.halvings, 0);
  }
  checked(*task, {"controllers.swim.law.weights", GetParam().path});
}

INSTANTIATE_TEST_SUITE_P(
    Loops, ControlGradientUnder,
    ::testing::Values(Disturbance{"contact", "losses:",
                                  "colliders: {ground: {type: plane, position: [0, 0, -0.004]}}\n"
                                  "contacts: [{type: complementarity}]\n"},
                      Disturbance{"damping", "    initial:", "    damping: {mass: 0.7, stiffness: 0.004}\n"},
                      Disturbance{"halved_steps", "relative_tolerance: 1e-12, absolute",
                                  "max_iterations: 3, "},
                      Disturbance{"quasi_static", "losses:", "integrator: quasi_static\n",
                                  "bodies.beam.pins=[{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]",
                                  "bodies.beam.materials[2].stiffness"}),
    [](const auto& p) { return p.param.name; });

TEST(ControlGradientOf, ADrivenParameterIsZero) {
  const auto task = make_task(swimmer(kTight, 5));
  VecX gradient;
  task->evaluate_table(gradient);
  for (const ParameterEntry* e :
       task->simulation().system().parameters().find("bodies.beam.materials[*].activation"))
    EXPECT_TRUE(gradient.segment(e->offset, e->size).isZero(0)) << e->path;
}

// A controller that gives constants is nothing but these values, and the written ones do not matter.
TEST(Control, AConstantControllerIsTheValueItself) {
  std::string driven = swimmer(kTight, 6), fixed = driven;
  const auto begin = driven.find("controllers:"), end = driven.find("losses:");
  driven.replace(begin, end - begin, R"(controllers:
  hold:
    sensors: [{type: clock, scale: 0}]
    law: {type: affine, weights: [0, 0, 0, 0, 0.9, 1.05]}
    drives: [{parameter: "bodies.beam.materials[2].activation"}]
)");
  fixed.replace(begin, end - begin, "");
  fixed.replace(fixed.find("{a: 1, b: 1}"), 12, "{a: 0.9, b: 1.05}");
  const auto a = make_task(driven), b = make_task(fixed);
  VecX ga, gb;
  EXPECT_EQ(a->evaluate_table(ga), b->evaluate_table(gb));
  // The biases have the gradient of the values that they are.
  const ParameterEntry& bias = *a->simulation().system().parameters().find("controllers.hold.law.weights")[0];
  const ParameterEntry& value =
      *b->simulation().system().parameters().find("bodies.beam.materials[2].activation")[0];
  const VecX of_bias = ga.segment(bias.offset + 4, 2), of_value = gb.segment(value.offset, 2);
  EXPECT_GT(of_value.norm(), 0);
  EXPECT_LT((of_bias - of_value).norm(), 1e-13 * of_value.norm());
}

TEST(Control, APreloadSeesTheWrittenValuesAndTheEnergyTheDrivenOnes) {
  const std::string preload = "preload: {steps: 3, keep_velocity: true}\n";
  std::string driven = swimmer(preload, 6), written = driven;
  const auto begin = written.find("controllers:");
  written.erase(begin, written.find("losses:") - begin);
  const auto a = make_task(driven), b = make_task(written);
  const State start = a->simulation().system().initial_state();
  EXPECT_TRUE(same_bits(start.x, b->simulation().system().initial_state().x));
  EXPECT_TRUE(same_bits(start.v, b->simulation().system().initial_state().v));
  const VecX controls = a->simulation().system().controls(start);
  System& other = b->simulation().system();
  VecX theta = other.parameters().values();
  Index k = 0;
  for (const ParameterEntry* e : other.parameters().find("bodies.beam.materials[*].activation"))
    for (Index i = 0; i < e->size; ++i) theta[e->offset + i] = controls[k++];
  ASSERT_EQ(k, controls.size());
  const double before = b->simulation().elastic_energy(start, 0);
  other.set_parameters(theta);
  EXPECT_EQ(a->simulation().elastic_energy(start, 0, &controls), b->simulation().elastic_energy(start, 0));
  EXPECT_EQ(a->simulation().elastic_energy(start, 0), before);
  EXPECT_GT(std::abs(b->simulation().elastic_energy(start, 0) - before), 1e-3 * before);
}

TEST(Control, CheckpointsGiveTheSameBits) {
  for (const char* integrator : {"implicit_euler", "bdf2"}) {
    const std::string scene = swimmer(std::string("integrator: ") + integrator + "\n");
    const VecX all = gradient_of(scene);
    // 45 nodes: 2.2 kB a state, so that there is room for 19 or 10 of the 21.
    EXPECT_TRUE(same_bits(all, gradient_of(scene, {"memory.budget=0.042", "memory.checkpoints=uniform"})));
    EXPECT_TRUE(same_bits(all, gradient_of(scene, {"memory.budget=0.022", "memory.checkpoints=binomial"})));
  }
}

TEST(Control, TwoThreadsGiveTheSameBits) {
  const std::string scene = swimmer("", 4, "[16, 4, 4]");
  set_num_threads(1);
  const VecX one = gradient_of(scene);
  set_num_threads(2);
  const VecX two = gradient_of(scene);
  set_num_threads(1);
  EXPECT_TRUE(same_bits(one, two));
}

TEST(Control, AGradientMethodTrainsTheNetwork) {
  const auto task =
      make_task(swimmer("parameters: [{path: controllers.swim.law.weights, from: scene}]\n", 10));
  VecX u = task->start(), gradient(task->size());
  ASSERT_EQ(u.size(), 6 * 22 + 5 * 7 + 2 * 6);
  const double first = task->evaluate(u, gradient);
  double last = first;
  for (int k = 0; k < 10; ++k) {
    u -= 0.5 * std::abs(last) / gradient.squaredNorm() * 0.1 * gradient;
    last = task->evaluate(u, gradient);
  }
  EXPECT_LT(last, first);
}

}  // namespace
}  // namespace resilin::test

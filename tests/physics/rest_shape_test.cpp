// The rest shape as a parameter: gradients, what follows an update, inverse design.
#include "core/base/parallel.hpp"
#include "core/optim/gradcheck.hpp"
#include "tests/physics/statics.hpp"
#include "tests/support/components.hpp"

#include <cmath>
#include <cstring>

namespace resilin::test {
namespace {

constexpr Index kNodes = 20;  // of 4 x 1 x 1 cells
const char* kPath = "bodies.beam.rest_shape.displacements";

/// Displacements of the rest shape, without inversion.
Mat3X waves(double size = 0.004) {
  Mat3X d(3, kNodes);
  for (Index i = 0; i < d.size(); ++i) d.data()[i] = size * std::sin(1.1 * static_cast<double>(i) + 0.2);
  return d;
}

struct RestCase {
  std::string name, element, integrator, materials;
  std::string mass = "lumped", density = "1000";
  std::string body;  ///< more of the body
};
void PrintTo(const RestCase& c, std::ostream* out) {
  *out << c.name;
}

class RestGradient : public SceneTest, public ::testing::WithParamInterface<RestCase> {
 protected:
  /// Every way in which the rest shape acts: elements, masses, a turned, twisted and spinning start, pins at
  /// the initial and at the rest place, resting and moving, with one coordinate that two of them hold.
  std::string scene(const RestCase& c) const {
    Mat3X a(3, kNodes), b(3, kNodes);
    for (Index i = 0; i < a.size(); ++i) {
      a.data()[i] = std::sin(0.7 * static_cast<double>(i) + 0.3);
      b.data()[i] = 0.05 * std::cos(0.3 * static_cast<double>(i) + 0.1);
    }
    files_.write("a.csv", csv_text(a));
    files_.write("b.csv", csv_text(b));
    files_.write("rest.csv", csv_text(waves()));
    return fmt::format(R"(
time: {{step: 0.02, steps: 4}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1], element: {}}}}}
    density: {}
    mass: {}
    materials: {}
    rest_shape: {{displacements: {{file: rest.csv}}}}
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}, release: 0.07}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0]}}}}, axes: [x, z],
          motion: {{type: rotation, axis: [0, 0, 1], point: [0, 0.05, 0], rate: 1.5}}}}
      - {{nodes: {{box: {{min: [0.4, 0, 0], max: [0.4, 0, 0.1]}}}}, axes: [z], hold: rest}}
      - {{nodes: {{box: {{min: [0, 0.1, 0.1], max: [0, 0.1, 0.1]}}}}, axes: [x, y], hold: rest}}
    {}
integrator: {}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0, max_iterations: 200}}
backward: {{type: direct, relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, positions: {{file: a.csv}}, velocities: {{file: b.csv}}}}}}]
)",
                       c.element, c.density, c.mass, c.materials, c.body, c.integrator);
  }
};

// The tolerance is that of all gradients, see gradient_test.cpp.
TEST_P(RestGradient, AgreesWithCentralDifferencesInAllGroups) {
  const auto t = task(scene(GetParam()));
  ASSERT_EQ(t->simulation().system().parameters().find(kPath).front()->size, 3 * kNodes);
  GradcheckOptions options;
  options.coordinates = 4;
  const GradcheckReport report = check_gradient(*t, options);
  EXPECT_TRUE(report.passed);
  Index resolved = 0;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << ", " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference << ", error " << row.error;
    if (row.path != kPath) continue;
    EXPECT_LT(row.error, 1e-6) << row.direction;
    if (!row.below_noise) ++resolved;
  }
  EXPECT_GE(resolved, 6);  // the gradient's direction, two random ones, most coordinates
}

std::vector<RestCase> rest_cases() {
  const std::string posed =
      "initial: {rotation: [0.05, -0.1, 0.08], translation: [0.01, 0, 0.02], "
      "twist: {axis: [1, 0.1, 0], point: [0, 0.05, 0.05], rate: 0.6}, velocity: [0.3, -0.2, 0.1], "
      "angular_velocity: [0.5, 1, -1], displacements: [0.001, 0.002, -0.001], "
      "velocities: [0.1, 0.05, -0.1]}";
  const std::string damped = "damping: {mass: 0.5, stiffness: 0.003}\n    " + posed;
  const std::string densities = "{regions: {root: 900}, default: 1100}";
  const std::string regions = "regions: {root: {box: {min: [0, 0, 0], max: [0.2, 0.1, 0.1]}}}\n    ";
  const std::string soft = solid("stable_neo_hookean", 2e4, 0.35);
  const std::string projective = solid("corotated_volume", 2e4, 0.35);
  return {{"hex8_implicit_euler", "hex8", "implicit_euler", projective, "lumped", "1000", damped},
          {"tet4_implicit_euler", "tet4", "implicit_euler", soft, "lumped", densities, regions + posed},
          {"hex8_uniform_mass", "hex8", "implicit_euler", soft, "uniform", "1000", posed},
          {"hex8_bdf2", "hex8", "bdf2", soft, "lumped", densities, regions + damped},
          {"tet4_bdf2", "tet4", "bdf2", projective, "uniform", "1000", posed},
          {"hex8_quasi_static", "hex8", "quasi_static", projective, "lumped", densities, regions},
          {"tet4_quasi_static", "tet4", "quasi_static", soft, "lumped", "1000", posed}};
}
INSTANTIATE_TEST_SUITE_P(All, RestGradient, ::testing::ValuesIn(rest_cases()),
                         [](const auto& p) { return p.param.name; });

class RestShape : public SceneTest {
 protected:
  /// A clamped beam that hangs under its weight, its rest shape as in rest.csv; the tip sinks by some 4 cm.
  std::string hanging(const std::string& element, const Mat3X& rest, const std::string& more = {}) const {
    files_.write("rest.csv", csv_text(rest));
    return fmt::format(R"(
time: {{step: 1, steps: 1}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1], element: {}}}}}
    density: 1000
    materials: [{{type: stable_neo_hookean, E: 1e6, nu: 0.3}}]
    rest_shape: {{displacements: {{file: rest.csv}}}}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
integrator: quasi_static
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0, max_iterations: 200}}
parameters: [{{path: {}, lower: -0.08, upper: 0.08, start: 0}}]
{}
)",
                       element, kPath, more);
  }
  /// Displacements of the rest shape that minimise the task's loss, and what is left of it.
  static Mat3X find(Task& t, double& left) {
    VecX u = t.start(), gradient(t.size());
    const double first = t.evaluate(u, gradient);
    const auto optimizer = make_component<Optimizer>(
        "lbfgsb", {}, {{"max_iterations", 300}, {"loss_tolerance", 0}, {"gradient_tolerance", 1e-13}});
    left = optimizer->minimize(t, t.lower(), t.upper(), u).loss / first;
    return t.values(u, t.variables()[0]).reshaped(3, kNodes);
  }
};

TEST_F(RestShape, IsRecoveredFromTheEquilibriumUnderGravity) {
  for (const std::string element : {"hex8", "tet4"}) {
    const Mat3X truth = waves(0.008);
    const auto t = task(hanging(element, truth, "losses: [{loss: match_trajectory}]"));
    double left = 1;
    const Mat3X found = find(*t, left);
    EXPECT_LT(left, 1e-14) << element;
    EXPECT_LT((found - truth).norm(), 1e-6 * truth.norm()) << element;
  }
}

TEST_F(RestShape, ThatSagsIntoAStraightBeamIsFound) {
  const Mat3X box = make_box({0.4, 0.1, 0.1}, {4, 1, 1}, ElementType::Hex8).vertices;
  files_.write("box.csv", csv_text(box));
  const auto t = task(hanging("hex8", Mat3X::Zero(3, kNodes),
                              "losses: [{loss: {type: reach_target, target: {file: box.csv}}}]"));
  double left = 1;
  const Mat3X found = find(*t, left);
  EXPECT_LT(left, 1e-14);
  // Built anew with what was found, the beam hangs straight; as it is made it points upwards at its end.
  const auto designed = simulation(hanging("hex8", found)), straight = simulation(hanging("hex8", 0 * found));
  Tape hung, sagged;
  designed->run(hung, true);
  straight->run(sagged, true);
  const double sag = (as_columns(sagged.states.back().x) - box).colwise().norm().maxCoeff();
  EXPECT_GT(sag, 0.02);
  EXPECT_LT((as_columns(hung.states.back().x) - box).colwise().norm().maxCoeff(), 1e-6 * sag);
  EXPECT_GT(found.row(2).maxCoeff(), 0.7 * sag);
}

TEST_F(RestShape, GradientsHaveTheSameBitsForAnyNumberOfThreads) {
  for (const std::string element : {"hex8", "tet4"}) {
    VecX first;
    for (const int threads : {1, 2}) {
      set_num_threads(threads);
      const auto sim = simulation(
          hanging(element, Mat3X::Zero(3, 1)),
          {"bodies.beam.mesh.generator.cells=[24, 6, 6]", "bodies.beam.rest_shape.displacements=[0, 0, 0]",
           "parameters=[]", "integrator=implicit_euler", "time.step=0.01", "time.steps=2"});
      Tape tape;
      sim->run(tape, true);
      const VecX gradient = sim->gradient(tape, [](Index, Adjoint& adjoint) {
        for (Index i = 0; i < adjoint.x.size(); ++i) adjoint.x[i] += std::sin(static_cast<double>(i));
      });
      set_num_threads(1);
      ASSERT_TRUE(gradient.allFinite());
      if (threads == 1) {
        first = gradient;
        continue;
      }
      ASSERT_EQ(gradient.size(), first.size());
      EXPECT_EQ(
          std::memcmp(gradient.data(), first.data(), sizeof(double) * static_cast<std::size_t>(first.size())),
          0)
          << element;
    }
  }
}

}  // namespace
}  // namespace resilin::test

// Hanging sheets and chains: gradients of all parameters, the same motion with every solver.
#include "core/optim/gradcheck.hpp"
#include "tests/physics/statics.hpp"

#include <set>

namespace resilin::test {
namespace {

struct ThinCase {
  std::string name, mesh, materials, measure;
  Index nodes;
  std::string integrator = "implicit_euler";
  std::string more = {};  ///< of the body
};
void PrintTo(const ThinCase& c, std::ostream* out) {
  *out << c.name;
}

const std::string kSheet = "{type: grid, size: [0.4, 0.3], cells: [4, 3]}";
const std::string kChain = "{type: polyline, points: [[0, 0, 0], [0.4, 0.1, 0], [0.5, 0.3, 0.1]], cells: 6}";

class ThinBody : public SceneTest, public ::testing::WithParamInterface<ThinCase> {
 protected:
  /// Hung up at two corners (two ends), falling under gravity for ten steps, its rest shape bent. A force
  /// besides the weight, under which alone the motion is the same for every thickness.
  std::string scene(const ThinCase& c) const {
    Mat3X a(3, c.nodes), b(3, c.nodes), rest(3, c.nodes);
    for (Index i = 0; i < a.size(); ++i) {
      const auto k = static_cast<double>(i);
      a.data()[i] = std::sin(0.7 * k + 0.3);
      b.data()[i] = 0.05 * std::cos(0.3 * k + 0.1);
      rest.data()[i] = 0.01 * std::sin(1.1 * k + 0.2);
    }
    files_.write("a.csv", csv_text(a));
    files_.write("b.csv", csv_text(b));
    files_.write("rest.csv", csv_text(rest));
    const std::string corners =
        c.mesh == kSheet ? fmt::format("indices: [0, {}]", c.nodes - 4) : "boundary: true";
    return fmt::format(R"(
time: {{step: 0.01, steps: 10}}
bodies:
  thin:
    mesh: {{generator: {}}}
    {}
    density: 800
    materials: {}
    rest_shape: {{displacements: {{file: rest.csv}}}}
    pins: [{{nodes: {{{}}}}}]
    {}
forces: {{push: {{type: nodal_force, force: [0.01, 0.02, -0.005]}}}}
integrator: {}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0, max_iterations: 500}}
backward: {{type: direct, relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, positions: {{file: a.csv}}, velocities: {{file: b.csv}}}}}}]
)",
                       c.mesh, c.measure, c.materials, corners, c.more, c.integrator);
  }
};

// The tolerance is that of all gradients, see gradient_test.cpp.
TEST_P(ThinBody, GradientAgreesWithCentralDifferencesInAllGroups) {
  const auto t = task(scene(GetParam()));
  GradcheckOptions options;
  options.coordinates = 4;
  const GradcheckReport report = check_gradient(*t, options);
  EXPECT_TRUE(report.passed);
  std::set<std::string> resolved;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << ", " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference << ", error " << row.error;
    if (row.below_noise) continue;
    EXPECT_LT(row.error, 1e-6) << row.path << ", " << row.direction;
    resolved.insert(row.path);
  }
  const bool sheet = GetParam().mesh == kSheet;
  EXPECT_TRUE(resolved.count("bodies.thin." + std::string(sheet ? "thickness" : "cross_section")));
  EXPECT_FALSE(resolved.count("bodies.thin." + std::string(sheet ? "cross_section" : "thickness")));
  for (const char* key : {"density", "rest_shape.displacements", "initial.velocity"})
    EXPECT_TRUE(resolved.count("bodies.thin." + std::string(key))) << key;
  for (const ParameterEntry& e : t->simulation().system().parameters().entries())
    if (e.path.find("materials") != std::string::npos) {
      EXPECT_TRUE(resolved.count(e.path)) << e.path;
    }
}

// As in solver_agreement_test.cpp.
TEST_P(ThinBody, MovesAlikeWithEverySolver) {
  const std::string yaml = scene(GetParam());
  std::vector<Tape> tapes;
  for (const char* type : {"newton", "pd", "pd_newton_krylov", "newton_pcg", "pd_lbfgs", "pd_anderson"}) {
    const auto sim =
        simulation(yaml, {"forward={type: " + std::string(type) +
                          ", relative_tolerance: 1e-11, absolute_tolerance: 0, max_iterations: 50000}"});
    tapes.emplace_back();
    sim->run(tapes.back(), true);
  }
  for (std::size_t k = 1; k < tapes.size(); ++k)
    for (std::size_t i = 1; i < tapes[0].states.size(); ++i) {
      EXPECT_LT(relative_error(tapes[k].states[i].x, tapes[0].states[i].x), 1e-8)
          << "solver " << k << ", step " << i;
      EXPECT_LT(relative_error(tapes[k].states[i].v, tapes[0].states[i].v), 1e-7)
          << "solver " << k << ", step " << i;
    }
}

std::vector<ThinCase> thin_cases() {
  const auto law = [](const std::string& type, const std::string& more = {}) {
    return fmt::format("{{type: {}, E: 2e4, nu: 0.3{}}}", type, more);
  };
  const std::string thick = "thickness: 0.004", wide = "cross_section: 3e-5",
                    damped = "damping: {mass: 0.5, stiffness: 0.003}";
  return {{"stvk", kSheet, "[" + law("membrane_stvk") + "]", thick, 20},
          {"corotated", kSheet, "[" + law("membrane_corotated") + "]", thick, 20},
          {"contracting", kSheet, "[" + law("membrane_corotated", ", lateral_contraction: true") + "]", thick,
           20, "bdf2"},
          {"neo_hookean_damped", kSheet, "[{type: membrane_neo_hookean, E: 2e4}]", thick, 20,
           "implicit_euler", damped},
          {"fibre", kSheet,
           "[" + law("membrane_corotated") + ", {type: fibre, stiffness: 3e4, direction: [1, 0.4, 0]}]",
           thick, 20},
          {"strand", kChain, "[{type: strand, E: 2e5}]", wide, 13, "implicit_euler", damped},
          {"slack_strand", kChain, "[{type: strand, E: 2e5, tension_only: true}]", wide, 13, "bdf2"}};
}
INSTANTIATE_TEST_SUITE_P(All, ThinBody, ::testing::ValuesIn(thin_cases()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace resilin::test

// The published code's own small cases (shared data; skipped where it is absent): states, loss and gradients.
#include "core/solve/simulation.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::test {
namespace {

struct Case {
  std::string name;
  std::string cells;  ///< of the box
  double twist = 0;   ///< total angle over the length
  int steps = 10;
  std::string materials;
  std::string forward, backward;
};

class ReferenceCase : public ::testing::Test {
 protected:
  static std::string folder(const std::string& name) {
    return std::string(RESILIN_SOURCE_DIR) + "/../shared/reference/cases/diffpd/" + name + "/";
  }
  static VecX column(const std::string& file) { return read_table(file).transpose().reshaped(); }

  /// The loss's weights r1 and r2, and a per-step nodal force field, as files beside the scene.
  void write_tables(Index n, int steps, const VecX& constant_force) {
    std::string r1, r2, f;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < 3; ++k) {
        const auto j = static_cast<double>(3 * i + k);
        r1 += fmt::format("{}{:.17g}", k ? "," : "", std::sin(0.7 * j + 0.3));
        r2 += fmt::format("{}{:.17g}", k ? "," : "", 0.01 * std::cos(0.3 * j + 0.1));
      }
      r1 += '\n';
      r2 += '\n';
    }
    for (int s = 0; s < steps; ++s) {
      for (Index i = 0; i < 3 * n; ++i) f += fmt::format("{}{:.17g}", i ? "," : "", constant_force[i]);
      f += '\n';
    }
    files_.write("r1.csv", r1);
    files_.write("r2.csv", r2);
    files_.write("f.csv", f);
  }

  std::string scene(const Case& c) const {
    return fmt::format(R"(
time: {{step: 0.01, steps: {}}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.32, 0.08, 0.08], cells: {}}}}}
    density: 1000
    mass: uniform
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.08, 0.08]}}}}, hold: rest}}]
    initial: {{twist: {{axis: [1, 0, 0], point: [0, 0.04, 0.04], rate: {:.17g}}}}}
forces:
  f: {{type: nodal_force, force: {{file: f.csv, per: step}}}}
forward: {{type: {}, relative_tolerance: 1e-13, absolute_tolerance: 0}}
backward: {{type: {}, relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, positions: {{file: r1.csv}}, velocities: {{file: r2.csv}}}}}}]
)",
                       c.steps, c.cells, c.materials, c.twist / 0.32, c.forward, c.backward);
  }

  void compare(const Case& c, double tolerance, const std::string& forward_tolerance = "1e-13") {
    const std::string data = folder(c.name);
    if (!std::filesystem::exists(data)) GTEST_SKIP() << "no reference data at " << data;
    const VecX q0 = column(data + "q0.csv");
    const Index n = q0.size() / 3;
    const bool has_force = std::filesystem::exists(data + "f_ext.csv");
    write_tables(n, c.steps, has_force ? column(data + "f_ext.csv") : VecX::Zero(3 * n));
    const SceneFile file = load_scene(files_.write("scene.yaml", scene(c)),
                                      {"forward.relative_tolerance=" + forward_tolerance}, registry());
    Task task(file.options, registry(), file.places);
    Simulation& sim = task.simulation();
    ASSERT_EQ(sim.system().num_nodes(), n);
    EXPECT_LT((sim.system().initial_state().x - q0).cwiseAbs().maxCoeff(), 1e-15);

    Tape tape;
    sim.run(tape, true);
    const MatX steps = read_table(data + "q_steps.csv");
    for (int k = 0; k < c.steps; ++k)
      EXPECT_LT(relative_error(tape.states[static_cast<std::size_t>(k + 1)].x, steps.row(k).transpose()),
                tolerance)
          << "step " << k;
    EXPECT_LT(relative_error(tape.states.back().v, column(data + "v_final.csv")), 1e2 * tolerance);

    VecX gradient;
    const double loss = task.evaluate_table(gradient), expected = loss_of(data);
    EXPECT_NEAR(loss, expected, tolerance * std::abs(expected));
    const auto part = [&](const std::string& path) {
      const ParameterEntry& e = *sim.system().parameters().find(path).front();
      return VecX(gradient.segment(e.offset, e.size));
    };
    EXPECT_LT(relative_error(part("bodies.beam.initial.displacements"), column(data + "dL_dq0.csv")),
              tolerance);
    EXPECT_LT(relative_error(part("bodies.beam.initial.velocities"), column(data + "dL_dv0.csv")), tolerance);
    EXPECT_LT(relative_error(part("forces.f.force"), column(data + "dL_dfext_steps.csv")), tolerance);
    check_moduli(data, part, tolerance);
    if (std::filesystem::exists(data + "dL_da_steps.csv")) {
      EXPECT_LT(relative_error(part("bodies.beam.materials[2].activation"), column(data + "dL_da_steps.csv")),
                tolerance);
      EXPECT_LT(relative_error(part("bodies.beam.materials[2].stiffness"), column(data + "dL_dmuscle_k.csv")),
                tolerance);
    }
  }

  static double loss_of(const std::string& data) {
    const std::string text = read_file(data + "loss.json"), key = "\"loss\": ";
    return std::stod(text.substr(text.find(key) + key.size()));
  }

  template <class Part>
  static void check_moduli(const std::string& data, const Part& part, double tolerance) {
    if (!std::filesystem::exists(data + "dL_dE_dnu.csv")) return;
    const VecX expected = column(data + "dL_dE_dnu.csv");
    const VecX e =
        part("bodies.beam.materials[0].youngs_modulus") + part("bodies.beam.materials[1].youngs_modulus");
    const VecX nu =
        part("bodies.beam.materials[0].poissons_ratio") + part("bodies.beam.materials[1].poissons_ratio");
    EXPECT_LT(std::abs(e[0] - expected[0]), 10 * tolerance * std::abs(expected[0]));
    EXPECT_LT(std::abs(nu[0] - expected[1]), 10 * tolerance * std::abs(expected[1]));
  }

  TestFolder files_;
};

const std::string kCorotated = "[{type: corotated, E: 1e6, nu: 0.45}, {type: volume, E: 1e6, nu: 0.45}]";

// Tolerances: case.md reports 1.6e-11 to 8.2e-11 between two methods of the published code, and 7e-11 in
// dL/dw.
TEST_F(ReferenceCase, BeamSmallNewtonDirect) {
  compare({"beam_small", "[16, 4, 4]", M_PI / 4, 10, kCorotated, "newton", "direct"}, 1e-9);
}
TEST_F(ReferenceCase, BeamSmallKrylov) {
  compare({"beam_small", "[16, 4, 4]", M_PI / 4, 10, kCorotated, "pd_newton_krylov", "pd_krylov"}, 1e-9);
}
TEST_F(ReferenceCase, BeamSmallProjectiveDynamics) {
  compare({"beam_small", "[16, 4, 4]", M_PI / 4, 10, kCorotated, "pd", "pd_fixed_point"}, 1e-9, "1e-11");
}

TEST_F(ReferenceCase, BeamMuscle) {
  std::string activations = "{steps: [";
  for (int t = 0; t < 10; ++t) {
    activations += t ? ", [" : "[";
    for (int i = 0; i < 16; ++i)
      activations += fmt::format("{}{:.17g}", i ? ", " : "", 0.8 + 0.2 * std::sin(0.5 * i + 0.3 * t));
    activations += "]";
  }
  activations += "]}";
  std::string elements;
  for (int i = 0; i < 16; ++i) elements += fmt::format("{}{}", i ? ", " : "", 16 * i);
  const std::string materials = fmt::format(
      "[{{type: corotated, E: 1e6, nu: 0.45}}, {{type: volume, E: 1e6, nu: 0.45}}, {{type: muscle, "
      "stiffness: 1e5, fibre: [1, 0, 0], elements: {{indices: [{}]}}, activation: {}}}]",
      elements, activations);
  compare({"beam_muscle", "[16, 4, 4]", M_PI / 4, 10, materials, "pd_newton_krylov", "pd_krylov"}, 1e-9);
}

TEST_F(ReferenceCase, CantileverFull) {
  compare({"cantilever_full", "[32, 8, 8]", M_PI / 2, 5, kCorotated, "pd_newton_krylov", "pd_krylov"}, 1e-9);
}

TEST_F(ReferenceCase, NeoHookeanBeam) {
  compare({"neohookean_beam", "[16, 4, 4]", M_PI / 4, 5, "[{type: neo_hookean, E: 1e6, nu: 0.45}]",
           "pd_newton_krylov", "pd_krylov"},
          1e-9);
}

}  // namespace
}  // namespace resilin::test

// Pieces of scenes and static solutions for the physics tests.
#pragma once

#include "core/mesh/generators.hpp"
#include "core/solve/simulation.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::test {

/// The `materials` of a body made of one solid: "corotated_volume" (both terms), or a material's type.
inline std::string solid(const std::string& set, double e, double nu) {
  const auto one = [&](const std::string& type) {
    return fmt::format("{{type: {}, E: {:.17g}, nu: {:.17g}}}", type, e, nu);
  };
  return set == "corotated_volume" ? "[" + one("corotated") + ", " + one("volume") + "]"
                                   : "[" + one(set) + "]";
}

/// Static equilibrium under gravity and the scene's forces, from the initial state: a proximal point
/// iteration, that is, implicit Euler steps with 1/h^2 = inertia [1/s^2] that forget their velocity. Each
/// round shrinks what is left of a mode of angular frequency w by 1/(1 + w^2/inertia). The scene's forward
/// solver has to reach an absolute tolerance: the predictor, from which relative ones are measured, means
/// nothing here.
inline VecX settle(Simulation& sim, double inertia, int rounds) {
  const System& s = sim.system();
  const StepTools tools = sim.tools();
  VecX x = s.initial_state().x;
  s.place_pins(0, x);
  for (int round = 0; round < rounds; ++round) {
    const StepContext context{0, 1 / std::sqrt(inertia), 0};
    const VecX before = x;
    VecX force = VecX::Zero(x.size());
    for (const auto& f : s.forces()) f->add_force(context, before, VecX::Zero(x.size()), force);
    VecX y = before;
    for (Index i = 0; i < s.num_nodes(); ++i)
      y.segment<3>(3 * i) += (s.gravity() + force.segment<3>(3 * i) / s.mass()[i]) / inertia;
    const StepProblem problem(s, tools.linear, context, inertia, y, before, tools.workspace);
    const SolveReport report = tools.forward.solve(problem, x);
    EXPECT_TRUE(report.converged) << "round " << round << ": residual " << report.residual << " N, tolerance "
                                  << report.tolerance << " N, " << report.note;
  }
  return x;
}

/// A mesh as a legacy VTK file.
inline std::string vtk_text(const Mesh& mesh) {
  std::string text =
      fmt::format("# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
                  mesh.num_vertices());
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    text += fmt::format("{:.17g} {:.17g} {:.17g}\n", mesh.vertices(0, i), mesh.vertices(1, i),
                        mesh.vertices(2, i));
  const Index nodes = mesh.elements.rows(), elements = mesh.num_elements();
  text += fmt::format("CELLS {} {}\n", elements, elements * (nodes + 1));
  for (Index e = 0; e < elements; ++e) {
    text += std::to_string(nodes);
    for (Index c = 0; c < nodes; ++c) text += fmt::format(" {}", mesh.elements(c, e));
    text += '\n';
  }
  text += fmt::format("CELL_TYPES {}\n", elements);
  for (Index e = 0; e < elements; ++e) text += mesh.type == ElementType::Hex8 ? "12\n" : "10\n";
  return text;
}

/// One row x, y, z per vertex.
inline std::string csv_text(const Mat3X& x) {
  std::string text;
  for (Index i = 0; i < x.cols(); ++i)
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", x(0, i), x(1, i), x(2, i));
  return text;
}

/// Base of tests whose scenes name files that are written beside them.
class SceneTest : public ::testing::Test {
 protected:
  SceneFile load(const std::string& yaml, const std::vector<std::string>& overrides = {}) const {
    return load_scene(files_.write("scene.yaml", yaml), overrides, registry());
  }
  std::unique_ptr<Simulation> simulation(const std::string& yaml,
                                         const std::vector<std::string>& overrides = {}) const {
    const SceneFile s = load(yaml, overrides);
    return std::make_unique<Simulation>(s.options.scene, registry(), s.places);
  }
  std::unique_ptr<Task> task(const std::string& yaml, const std::vector<std::string>& overrides = {}) const {
    const SceneFile s = load(yaml, overrides);
    return std::make_unique<Task>(s.options, registry(), s.places);
  }

  TestFolder files_;
};

}  // namespace resilin::test

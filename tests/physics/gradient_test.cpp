// Adjoint gradients of all parameters of the table against central differences.
#include "core/optim/gradcheck.hpp"
#include "tests/physics/statics.hpp"

#include <cmath>

namespace resilin::test {
namespace {

struct GradientCase {
  std::string name, element, materials;
  std::string mass = "lumped", density = "1000";
  std::string forward = "newton", backward = "direct";
  bool linear = false;  ///< in the positions: only moduli and densities bend the loss
};

constexpr int kSteps = 5;
constexpr Index kNodes = 20;  // of 4 x 1 x 1 cells

Index elements_of(const std::string& element) {
  return element == "hex8" ? 4 : 24;
}

/// [a, b, ...]: `count` values spread by +- spread about `center`.
std::string spread(Index count, double center, double spread) {
  std::string text = "[";
  for (Index i = 0; i < count; ++i)
    text += fmt::format("{}{:.17g}", i ? ", " : "",
                        center + spread * std::sin(1.7 * static_cast<double>(i) + 0.4));
  return text + "]";
}

std::string per_element(const std::string& type, Index elements) {
  return fmt::format("{{type: {}, E: {}, nu: {}}}", type, spread(elements, 2e4, 5e3),
                     spread(elements, 0.35, 0.05));
}

std::string muscle(Index elements) {
  std::string steps, chosen;
  for (int t = 0; t < kSteps; ++t) steps += (t ? ", " : "") + spread(elements / 2, 0.85 + 0.02 * t, 0.1);
  for (Index e = 0; e < elements / 2; ++e) chosen += fmt::format("{}{}", e ? ", " : "", 2 * e);
  return fmt::format(
      "{{type: muscle, stiffness: 3e4, fibre: [1, 0.2, 0.1], elements: {{indices: [{}]}}, "
      "activation: {{steps: [{}]}}}}",
      chosen, steps);
}

class Gradient : public SceneTest, public ::testing::WithParamInterface<GradientCase> {
 protected:
  /// Pins hold single axes; forces act on the far end, per step; every parameter has some effect.
  std::string scene(const GradientCase& c) const {
    Mat3X a(3, kNodes), b(3, kNodes);
    for (Index i = 0; i < a.size(); ++i) {
      a.data()[i] = std::sin(0.7 * static_cast<double>(i) + 0.3);
      b.data()[i] = 0.05 * std::cos(0.3 * static_cast<double>(i) + 0.1);
    }
    files_.write("a.csv", csv_text(a));
    files_.write("b.csv", csv_text(b));
    std::string force;
    for (int t = 0; t < kSteps; ++t)
      force += fmt::format("{}[{}, 0.2, {}]", t ? ", " : "", 0.3 - 0.1 * t, 0.1 * t);
    return fmt::format(R"(
time: {{step: 0.02, steps: {}}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1], element: {}}}}}
    density: {}
    mass: {}
    materials: {}
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}, axes: [x, z]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0, 0.1]}}}}, axes: [y]}}
    initial:
      twist: {{axis: [1, 0, 0], point: [0, 0.05, 0.05], rate: 1}}
      velocity: [0.3, -0.2, 0.1]
      angular_velocity: [0.5, 1, -1]
      displacements: [0.001, 0.002, -0.001]
      velocities: [0.1, 0.05, -0.1]
forces:
  tip: {{type: nodal_force, nodes: {{box: {{min: [0.4, 0, 0], max: [0.4, 0.1, 0.1]}}}}, force: {{steps: [{}]}}}}
forward: {{type: {}, relative_tolerance: 1e-13, absolute_tolerance: 0, max_iterations: 20000}}
backward: {{type: {}, relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, positions: {{file: a.csv}}, velocities: {{file: b.csv}}}}}}]
)",
                       kSteps, c.element, c.density, c.mass, c.materials, force, c.forward, c.backward);
  }
};

// 1e-6: central differences of a loss of size 1, known to 1e-15, are good to some 1e-10 at their best step;
// the solver's own error, 1e-13 of the forces, adds less. Rows that differences cannot resolve are judged by
// their spread.
TEST_P(Gradient, AgreesWithCentralDifferences) {
  const auto t = task(scene(GetParam()));
  GradcheckOptions options;
  options.tolerance = 1e-6;
  options.coordinates = 2;
  options.random_directions = 1;
  const GradcheckReport report = check_gradient(*t, options);
  EXPECT_TRUE(report.passed);
  EXPECT_LT(report.worst_error, options.tolerance);
  std::size_t resolved = 0, with_order = 0, quadratic = 0, bending = 0;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << ", " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference << ", error " << row.error;
    if (!row.below_noise) ++resolved;
    const bool bends = !GetParam().linear || row.path.find("materials") != std::string::npos ||
                       row.path.find("density") != std::string::npos;
    if (bends) ++bending;
    EXPECT_TRUE(bends || std::isnan(row.taylor_order)) << row.path << " of a linear motion";
    if (std::isnan(row.taylor_order)) continue;
    ++with_order;
    if (row.taylor_order >= 1.9) ++quadratic;
  }
  const auto rows = report.rows.size();
  EXPECT_GE(rows, 2 * t->simulation().system().parameters().entries().size());
  EXPECT_GE(2 * with_order, bending);  // the trajectory is nonlinear in nearly everything
  // |L(s) - L - s dL| = c2 s^2 + c3 s^3: order two; but where c2 happens to be small, the coarsest steps, at
  // which the order is read, show another number. With a wrong gradient all rows of its group would show one.
  EXPECT_GE(10 * quadratic, 9 * with_order);
  EXPECT_GE(10 * resolved, 9 * rows);  // hardly any derivative is too small to be seen
}

/// For readable names in reports.
void PrintTo(const GradientCase& c, std::ostream* out) {
  *out << c.name;
}

std::vector<GradientCase> gradient_cases() {
  std::vector<GradientCase> cases;
  for (const std::string element : {"hex8", "tet4"}) {
    const Index n = elements_of(element);
    const std::string pd = per_element("corotated", n) + ", " + per_element("volume", n);
    const std::string density = spread(n, 1000, 200);
    cases.push_back({element + "_corotated_volume", element, "[" + pd + "]", "lumped", density});
    cases.push_back({element + "_muscle", element, "[" + pd + ", " + muscle(n) + "]", "uniform"});
    cases.push_back(
        {element + "_neo_hookean", element, "[" + per_element("neo_hookean", n) + "]", "lumped", density});
    cases.push_back(
        {element + "_stable_neo_hookean", element, "[" + per_element("stable_neo_hookean", n) + "]"});
  }
  const Index n = elements_of("hex8");
  for (const std::string type : {"linear_elastic", "st_venant_kirchhoff", "fixed_corotated"})
    cases.push_back({"hex8_" + type, "hex8", "[" + per_element(type, n) + "]", "lumped", "1000", "newton",
                     "direct", type == "linear_elastic"});
  cases.push_back({"hex8_mooney_rivlin", "hex8",
                   fmt::format("[{{type: mooney_rivlin, mu1: {}, mu2: {}, bulk: {}}}]", spread(n, 6e3, 1e3),
                               spread(n, 2e3, 1e3), spread(n, 3e4, 5e3))});
  const std::string directions = "[[1, 0.2, 0.1], [0.8, -0.3, 0.2], [1, 0.4, -0.5], [0.5, 0.5, 0.6]]";
  for (const std::string type : {"fibre", "exponential_fibre"})
    cases.push_back({"hex8_" + type, "hex8",
                     fmt::format("[{}, {{type: {}, stiffness: {}, direction: {}}}]",
                                 per_element("neo_hookean", n), type, spread(n, 3e4, 5e3), directions)});
  const std::string one = solid("corotated_volume", 2e4, 0.4);
  cases.push_back({"one_value_uniform", "hex8", one, "uniform"});
  cases.push_back({"krylov", "hex8", one, "lumped", "1000", "pd_newton_krylov", "pd_krylov"});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, Gradient, ::testing::ValuesIn(gradient_cases()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace resilin::test

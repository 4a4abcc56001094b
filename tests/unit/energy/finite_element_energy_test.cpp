#include "core/energy/finite_element_energy.hpp"

#include "tests/support/components.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

std::string box_scene(const std::string& cells, const std::string& element, const std::string& materials) {
  return fmt::format(
      "{{time: {{steps: 3}}, bodies: {{beam: {{mesh: {{generator: {{type: box, size: [0.5, 0.2, 0.1], cells: "
      "{}, element: "
      "{}}}}}, materials: {}}}}}}}",
      cells, element, materials);
}

double energy_of(const Simulation& sim, const VecX& x, Index step = 0) {
  return sim.system().energies()[0]->value({0.01, 0.01, step}, x, sim.workspace());
}
VecX mapped(const Simulation& sim, const Mat3& f) {
  return (f * sim.system().bodies()[0]->mesh.vertices).reshaped();
}
std::string error_of(const std::string& yaml) {
  try {
    (void)make_simulation(yaml);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    return e.what();
  }
  return "no error";
}

const Mat3 kDeformation = (Mat3() << 1.2, 0.1, 0, 0, 0.9, -0.2, 0.1, 0, 1.1).finished();
constexpr double kVolume = 0.5 * 0.2 * 0.1, kMu = 1e6 / 2.8, kLambda = 1e6 * 0.4 / (1.4 * 0.2);

double neo_hookean_density(const Mat3& f, double scale = 1) {
  const double j = std::log(f.determinant());
  return scale * (kMu * (0.5 * (f.squaredNorm() - 3) - j) + 0.5 * kLambda * j * j);
}

TEST(FiniteElementEnergy, OfAUniformDeformationIsVolumeTimesDensityForAnyNumberOfElements) {
  for (const char* element : {"hex8", "tet4"})
    for (const char* cells : {"[1, 1, 1]", "[3, 1, 1]", "[2, 2, 2]", "[9, 1, 1]", "[13, 5, 1]"}) {
      const auto sim = make_simulation(box_scene(cells, element, "[neo_hookean]"));
      const double expected = kVolume * neo_hookean_density(kDeformation);
      EXPECT_NEAR(energy_of(*sim, mapped(*sim, kDeformation)), expected, 1e-12 * expected)
          << element << cells;
      EXPECT_NEAR(energy_of(*sim, mapped(*sim, Mat3::Identity())), 0, 1e-12 * expected);
    }
}

TEST(FiniteElementEnergy, AddsItsMaterialsEachOverItsOwnElements) {
  const std::string half = "elements: {box: {min: [0, 0, 0], max: [0.25, 0.2, 0.1]}}";
  const auto sim = make_simulation(
      box_scene("[4, 1, 1]", "hex8", "[{type: neo_hookean}, {type: neo_hookean, E: 2e6, " + half + "}]"));
  const double expected = kVolume * neo_hookean_density(kDeformation) * (1 + 2 * 0.5);
  EXPECT_NEAR(energy_of(*sim, mapped(*sim, kDeformation)), expected, 1e-12 * expected);
}

TEST(FiniteElementEnergy, NotANumberOutsideAMaterialsElementsDoesNotLeakIn) {
  const auto sim = make_simulation(
      box_scene("[2, 1, 1]", "hex8", "[corotated, {type: neo_hookean, elements: {indices: [0]}}]"));
  VecX x = mapped(*sim, Mat3::Identity());
  const Mesh& mesh = sim->system().bodies()[0]->mesh;
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    if (mesh.vertices(0, i) > 0.4) x[3 * i] = 0.1;  // element 1 is inverted
  EXPECT_TRUE(std::isfinite(energy_of(*sim, x)));
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    if (mesh.vertices(0, i) < 0.1) x[3 * i] = 0.3;  // and now element 0
  EXPECT_TRUE(std::isnan(energy_of(*sim, x)));
}

TEST(FiniteElementEnergy, ValuesPerElementBelongToTheSelectionInRisingOrder) {
  const auto sim = make_simulation(
      box_scene("[4, 1, 1]", "hex8", "[{type: neo_hookean, E: [1e6, 3e6], elements: {indices: [1, 3]}}]"));
  const VecX rest = mapped(*sim, Mat3::Identity());
  const auto bent = [&](double from, double to) {
    VecX x = rest;
    for (Index i = 0; i < x.size(); i += 3)
      if (x[i] > from) x[i] += 0.02 * std::min(1.0, (x[i] - from) / (to - from));
    return energy_of(*sim, x);
  };
  const double first = bent(0.125, 0.25), second = bent(0.375, 0.5);  // elements 1 and 3
  EXPECT_GT(first, 0);
  EXPECT_NEAR(second, 3 * first, 1e-12 * second);
  EXPECT_NEAR(bent(0.0, 0.125), 0, 1e-12 * first);
}

TEST(FiniteElementEnergy, PicksTheEntriesOfTheStep) {
  const auto sim = make_simulation(
      box_scene("[1, 1, 1]", "hex8", "[{type: muscle, stiffness: 1e4, activation: {steps: [1, 0.8, 0.5]}}]"));
  const VecX rest = mapped(*sim, Mat3::Identity());
  for (const auto& [step, stretch] : {std::pair{0, 1.0}, {1, 0.8}, {2, 0.5}})
    EXPECT_NEAR(energy_of(*sim, rest, step), kVolume * 0.5 * 1e4 * (1 - stretch) * (1 - stretch), 1e-12);
}

TEST(FiniteElementEnergy, OfASecondBodyTouchesItsOwnNodesOnly) {
  const auto sim = make_simulation(R"(
bodies:
  a: {mesh: {generator: {type: box, cells: [1, 1, 1]}}, materials: [neo_hookean]}
  b: {mesh: {generator: {type: box, cells: [2, 1, 1]}}, materials: [neo_hookean], initial: {translation: [5, 0, 0]}}
)");
  const System& s = sim->system();
  VecX x = s.initial_state().x;
  x += 0.05 * random_vector(x.size(), 1);
  VecX g = VecX::Zero(x.size());
  const double e = s.energies()[1]->add_gradient({}, x, g, sim->workspace());
  EXPECT_GT(e, 0);
  EXPECT_TRUE(g.head(24).isZero(0));
  EXPECT_GT(g.tail(36).norm(), 0);
  BlockPattern pattern(s.num_nodes());
  for (const auto& energy : s.energies()) energy->add_pattern(pattern);
  BlockMatrix h;
  h.reset(std::move(pattern));
  s.energies()[1]->add_hessian({}, x, h, false, sim->workspace());
  for (Index i = 0; i < 8; ++i)
    for (Index k = h.row_begin(i); k < h.row_end(i); ++k)
      EXPECT_TRUE(Eigen::Map<const Mat3>(h.block(k)).isZero(0));
  VecX hd(x.size());
  const VecX d = random_vector(x.size(), 2);
  h.multiply(d, hd, std::vector<char>(static_cast<std::size_t>(x.size()), 0));
  EXPECT_LT(difference_gap(
                [&](double t) -> VecX {
                  VecX r = VecX::Zero(x.size());
                  s.energies()[1]->add_gradient({}, x + t * d, r, sim->workspace());
                  return r;
                },
                hd, 1e-3),
            1e-7);
}

TEST(FiniteElementEnergy, OneWorkspaceServesMatricesOfDifferentPatterns) {
  const auto sim = make_simulation(box_scene("[2, 1, 1]", "tet4", "[corotated]"));
  const Energy& energy = *sim->system().energies()[0];
  const VecX x = mapped(*sim, kDeformation);
  const auto hessian = [&](bool extra) {
    BlockPattern pattern(sim->system().num_nodes());
    energy.add_pattern(pattern);
    if (extra) pattern.add_pair(0, sim->system().num_nodes() - 1);
    BlockMatrix h;
    h.reset(std::move(pattern));
    energy.add_hessian({}, x, h, false, sim->workspace());
    VecX y(x.size());
    h.multiply(x, y, std::vector<char>(static_cast<std::size_t>(x.size()), 0));
    return y;
  };
  const VecX a = hessian(false), b = hessian(true), c = hessian(false);
  EXPECT_EQ(a, c);
  EXPECT_LT((a - b).norm(), 1e-14 * a.norm());
}

TEST(FiniteElementEnergy, SaysWhatIsWrongWithFieldsAndSelections) {
  EXPECT_NE(error_of(box_scene("[4, 1, 1]", "hex8", "[{type: corotated, E: [1e5, 2e5]}]"))
                .find("youngs_modulus: 2 values given; one or 4 (one for each element that the material acts "
                      "on) are expected"),
            std::string::npos);
  EXPECT_NE(error_of(box_scene("[4, 1, 1]", "hex8", "[{type: muscle, activation: {steps: [1, 1]}}]"))
                .find("activation: entries for 2 steps given, but the scene has 3 steps"),
            std::string::npos);
  const std::string nothing = error_of(box_scene(
      "[4, 1, 1]", "hex8", "[{type: corotated, elements: {sphere: {center: [9, 9, 9], radius: 1}}}]"));
  EXPECT_NE(nothing.find("bodies.beam.materials[0].elements"), std::string::npos) << nothing;
  EXPECT_NE(nothing.find("matches no element"), std::string::npos) << nothing;
  EXPECT_NE(
      error_of(box_scene("[4, 1, 1]", "hex8", "[{type: corotated, elements: {indices: [4]}}]")).find("4"),
      std::string::npos);
}

TEST(FiniteElementEnergy, DiagnosesTheFirstInvertedElement) {
  const auto sim = make_simulation(box_scene("[4, 1, 1]", "hex8", "[neo_hookean]"));
  const auto& energy = dynamic_cast<const FiniteElementEnergy&>(*sim->system().energies()[0]);
  VecX x = mapped(*sim, Mat3::Identity());
  EXPECT_EQ(energy.diagnose({}, x), "");
  for (Index i = 0; i < x.size(); i += 3)
    if (x[i] > 0.3 && x[i] < 0.4) x[i] = 0.1;
  const std::string text = energy.diagnose({}, x);
  EXPECT_EQ(text.find("element 2 is inverted (det F = -"), 0u) << text;
}

}  // namespace
}  // namespace resilin::test

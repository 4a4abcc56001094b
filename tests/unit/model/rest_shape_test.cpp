// What a System does with a rest shape that is a parameter.
#include "core/model/pose.hpp"
#include "tests/physics/statics.hpp"
#include "tests/support/components.hpp"

#include <cmath>

namespace resilin::test {
namespace {

constexpr Index kNodes = 12;  // of 2 x 1 x 1 cells
const char* kPath = "bodies.a.rest_shape.displacements";

Mat3X waves(double size) {
  Mat3X d(3, kNodes);
  for (Index i = 0; i < d.size(); ++i) d.data()[i] = size * std::cos(1.3 * static_cast<double>(i));
  return d;
}

TEST(Pose, PullBackIsTheTransposeOfTheDerivative) {
  InitialOptions o;
  o.translation = Vec3(1, 2, 3);
  o.rotation = Vec3(0.5, -1, 0.8);
  const Mat3X rest = make_box({0.2, 0.1, 0.1}, {2, 1, 1}, ElementType::Hex8).vertices;
  for (const bool twist : {false, true}) {
    o.has_twist = twist;
    o.twist = {Vec3(1, 0.5, 0), Vec3(0, 0.1, 0.2), 3};
    const Mat3X d = waves(1), z = random_vector(3 * kNodes, 3).reshaped(3, kNodes);
    const double exact = pull_back_pose(o, rest, z).cwiseProduct(d).sum();
    EXPECT_LT(difference_gap([&](double s) { return posed(o, rest + s * d).cwiseProduct(z).sum(); }, exact,
                             1e-2, 0),
              1e-10);
  }
}

class RestParameter : public SceneTest {
 protected:
  std::unique_ptr<Simulation> made(const Mat3X& displacements, const std::string& more = {}) const {
    files_.write("d.csv", csv_text(displacements));
    files_.write("start.csv", csv_text(make_box({0.2, 0.1, 0.1}, {2, 1, 1}, ElementType::Hex8).vertices));
    return simulation(
        "bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
        "[neo_hookean], rest_shape: {displacements: {file: d.csv}}, pins: [{nodes: {indices: [0, 3]}}, "
        "{nodes: {indices: [5]}, hold: rest}]" +
        more + "}}");
  }
  static void set(System& s, const Mat3X& displacements) {
    VecX theta = s.parameters().values();
    const ParameterEntry& e = *s.parameters().find(kPath).front();
    ASSERT_EQ(e.size, 3 * kNodes);
    theta.segment(e.offset, e.size) = displacements.reshaped();
    s.set_parameters(theta);
  }
  /// Everything that depends on the rest shape.
  static VecX facts(const Simulation& sim) {
    const System& s = sim.system();
    const State start = s.initial_state();
    VecX held = VecX::Zero(3 * kNodes), force = VecX::Zero(3 * kNodes);
    s.place_pins(0, held);
    const VecX x = deformed(s.bodies()[0]->mesh);
    const double e = s.energies()[0]->add_gradient({0, 0.01, 0}, x, force, sim.workspace());
    VecX all(12 * kNodes + kNodes + 1);
    all << start.x, start.v, held, force, s.mass(), e;
    return all;
  }
};

TEST_F(RestParameter, AnUpdateGivesTheBitsOfASceneBuiltThatWay) {
  for (const std::string more :
       {"", ", mass: uniform", ", initial: {positions: start.csv}",
        ", initial: {rotation: [0.1, 0.2, 0], twist: {rate: 1}, angular_velocity: [1, 2, 3], displacements: "
        "[0, 0.01, 0]}"}) {
    const auto built = made(waves(0.01), more);
    const auto sim = made(waves(0), more);
    const VecX before = facts(*sim);
    const std::uint64_t revision = sim->system().revision();
    set(sim->system(), waves(0.01));
    EXPECT_GT(sim->system().revision(), revision);
    EXPECT_EQ(facts(*sim), facts(*built)) << more;
    EXPECT_NE(facts(*sim), before) << more;
    set(sim->system(), waves(0));
    EXPECT_EQ(facts(*sim), before) << more;
  }
}

TEST_F(RestParameter, IsInTheTableOnlyIfTheSceneHasTheSection) {
  const auto with = made(waves(0));
  const auto without = simulation(
      "bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
      "[neo_hookean], pins: [{nodes: {indices: [0, 3]}}]}}");
  EXPECT_EQ(with->system().parameters().size(), without->system().parameters().size() + 3 * kNodes);
  EXPECT_THROW((void)without->system().parameters().find(kPath), Error);
  EXPECT_FALSE(without->system().has_moving_pins());
  EXPECT_EQ(without->system().bodies()[0]->displaced, nullptr);
  EXPECT_EQ(&without->system().bodies()[0]->rest(), &without->system().bodies()[0]->mesh);
}

TEST_F(RestParameter, OneDisplacementForAllVerticesIsSpread) {
  const auto sim = simulation(
      "bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
      "[neo_hookean], rest_shape: {displacements: [0, 0, 0.5]}}}");
  const Body& body = *sim->system().bodies()[0];
  EXPECT_EQ(sim->system().parameters().find(kPath).front()->size, 3 * kNodes);
  EXPECT_LT((body.rest().vertices - body.mesh.vertices - Vec3(0, 0, 0.5).replicate(1, kNodes)).norm(), 1e-15);
}

TEST_F(RestParameter, SelectionsSeeTheMeshAsGiven) {
  const auto sim = simulation(
      "bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
      "[neo_hookean], rest_shape: {displacements: [5, 0, 0]}, pins: [{nodes: {box: {min: [0, 0, 0], max: [0, "
      "0.1, 0.1]}}, hold: rest}]}}");
  VecX x = VecX::Zero(3 * kNodes);
  sim->system().place_pins(0, x);
  EXPECT_EQ((x.array() == 5).count(), 4);
}

TEST_F(RestParameter, AnInvertedElementIsNamedAndTheValuesStay) {
  const auto sim = made(waves(0.01));
  System& s = sim->system();
  const VecX before = facts(*sim), theta = s.parameters().values();
  Mat3X bad = waves(0.01);
  for (Index i = 0; i < kNodes; ++i)
    if (s.bodies()[0]->mesh.vertices(0, i) > 0.15) bad(0, i) -= 0.15;  // the far end into element 0
  for (const double scale : {1.0, 1e200}) {
    try {
      set(s, scale * bad);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Numerics);
      EXPECT_NE(e.message().find("bodies.a.rest_shape: element "), std::string::npos) << e.message();
      if (scale == 1) {
        EXPECT_NE(e.message().find("element 1 is inverted"), std::string::npos) << e.message();
      }
    }
    EXPECT_EQ(s.parameters().values(), theta);
    EXPECT_EQ(facts(*sim), before);
  }
}

TEST_F(RestParameter, MistakesInTheSceneAreNamed) {
  const auto error_of = [&](const std::string& displacements) -> std::string {
    try {
      (void)simulation(
          "bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, "
          "materials: [neo_hookean], rest_shape: {displacements: " +
          displacements + "}}}");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Input);
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of("[[0, 0, 0], [1, 0, 0]]").find("2 entries given; one or 12 (a vertex each)"),
            std::string::npos)
      << error_of("[[0, 0, 0], [1, 0, 0]]");
  std::string turned;
  const Mesh box = make_box({0.2, 0.1, 0.1}, {2, 1, 1}, ElementType::Hex8);
  for (Index i = 0; i < kNodes; ++i)  // the far end behind the section before it
    turned += fmt::format("{}[{}, 0, 0]", i ? ", " : "", box.vertices(0, i) > 0.15 ? -0.5 : 0);
  const std::string text = error_of("[" + turned + "]");
  EXPECT_NE(text.find("bodies.a.rest_shape.displacements: element 1 is inverted"), std::string::npos) << text;
  EXPECT_NE(text.find("scene.yaml:1"), std::string::npos) << text;
}

TEST_F(RestParameter, APreloadedStartDoesNotFollow) {
  files_.write("d.csv", csv_text(waves(0)));
  const auto sim = simulation(
      "{bodies: {a: {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
      "[neo_hookean], rest_shape: {displacements: {file: d.csv}}, pins: [{nodes: {indices: [0, 3, 6, "
      "9]}}]}}, "
      "preload: {steps: 2}}");
  System& s = sim->system();
  const VecX start = s.initial_state().x;
  const double mass = s.mass().sum();
  VecX held = VecX::Zero(3 * kNodes), after = held;
  s.place_pins(0, held);
  set(s, waves(0.01));
  EXPECT_EQ(s.initial_state().x, start);
  s.place_pins(0, after);
  EXPECT_EQ(after, held);
  EXPECT_FALSE(s.has_moving_pins());
  EXPECT_NE(s.mass().sum(), mass);
}

}  // namespace
}  // namespace resilin::test

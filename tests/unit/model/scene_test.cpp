#include "core/model/scene.hpp"

#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

constexpr const char* kScene = R"(name: small
time: {step: 0.02, steps: 7}
bodies:
  beam:
    mesh: {generator: {type: box, cells: [2, 1, 1]}}
    materials: [{type: corotated, E: 3e5}, volume]
    pins: [{nodes: {indices: [0]}}]
)";

std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    (void)read_scene(yaml, overrides);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input) << e.what();
    return e.what();
  }
  return "no error";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LoadScene, ReadsWhatIsWrittenAndKeepsDefaults) {
  const SceneFile f = read_scene(kScene);
  const SceneOptions& s = f.options.scene;
  EXPECT_EQ(s.name, "small");
  EXPECT_EQ(s.time.steps, 7);
  EXPECT_EQ(s.gravity, Vec3(0, 0, -9.81));
  ASSERT_EQ(s.bodies.size(), 1u);
  EXPECT_EQ(s.bodies[0].first, "beam");
  EXPECT_EQ(s.bodies[0].second.materials[1].type, "volume");
  EXPECT_EQ(s.bodies[0].second.materials[1].path, "bodies.beam.materials[1]");
  EXPECT_EQ(s.bodies[0].second.pins[0].axes.size(), 3u);
  EXPECT_EQ(s.integrator.type, registry().default_type("integrator"));
  EXPECT_EQ(s.forward.type, registry().default_type("forward_solver"));
  EXPECT_FALSE(s.has_preload);
  EXPECT_EQ(f.places.at("bodies.beam.materials[0].youngs_modulus").line, 6);
}

TEST(LoadScene, OverridesAreAppliedInOrder) {
  const SceneFile f = read_scene(kScene, {"time.steps=3", "time.steps=5", "bodies.beam.materials[0].E=2e5",
                                          "preload={steps: 2}", "forward=newton"});
  EXPECT_EQ(f.options.scene.time.steps, 5);
  EXPECT_EQ(f.options.scene.preload.steps, 2);
  EXPECT_TRUE(f.options.scene.has_preload);
  EXPECT_EQ(f.options.scene.forward.type, "newton");
  EXPECT_TRUE(contains(f.resolved, "youngs_modulus: 200000"));
}

TEST(LoadScene, TheResolvedSceneReadsBackToItself) {
  const SceneFile f = read_scene(kScene);
  const SceneFile again = read_scene(f.resolved);
  EXPECT_EQ(again.resolved, f.resolved);
  EXPECT_TRUE(contains(f.resolved, "on_failure: stop")) << "defaults are written out";
}

TEST(LoadScene, ListsAllMistakesWithTheirPlaces) {
  const std::string text = error_of(R"(time: {step: -1, stepps: 3}
gravity: [0, 0]
bodies:
  beam: {materials: [corotatd], density: 0}
forward: {type: newton, max_iterations: many}
losses: [{weight: 2}]
parameters: [{path: gravity, lower: 2, upper: 1}]
)");
  for (const char* part :
       {"scene.yaml:1:14: time.step", "unknown key 'stepps'", "did you mean 'steps'",
        "scene.yaml:2:10: gravity", "mesh", "corotatd", "did you mean 'corotated'", "bodies.beam.density",
        "forward.max_iterations", "losses[0]", "lower must be less than upper"})
    EXPECT_TRUE(contains(text, part)) << part << " is not in\n" << text;
}

TEST(LoadScene, AMissingPluginIsNamedAtItsPlace) {
  const TestFolder folder;
  const std::string file = folder.write("scene.yaml", std::string(kScene) + "plugins: [nothing.so]\n");
  try {
    (void)load_scene(file, {}, registry());
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Plugin);
    EXPECT_TRUE(contains(e.what(), "scene.yaml:8:")) << e.what();
    EXPECT_TRUE(contains(e.what(), "nothing.so")) << e.what();
  }
}

TEST(LoadScene, AWrongOverrideAndAMissingFileAreErrors) {
  EXPECT_TRUE(contains(error_of(kScene, {"time.steps"}), "time.steps"));
  EXPECT_TRUE(contains(error_of(kScene, {"bodies.beam.materials[7].E=1"}), "materials"));
  EXPECT_THROW((void)load_scene("/nonexistent/scene.yaml", {}, registry()), Error);
}

TEST(LoadScene, LogScaleNeedsAPositiveLowerBound) {
  EXPECT_TRUE(contains(
      error_of(std::string(kScene) + "parameters: [{path: gravity, lower: -1, upper: 1, scale: log}]\n"),
      "a logarithmic scale needs lower > 0"));
}

}  // namespace
}  // namespace resilin::test

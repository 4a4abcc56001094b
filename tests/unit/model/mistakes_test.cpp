// All that is wrong with a scene is said at once, also what only the mesh can tell.
#include "tests/support/scenes.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> mistakes_of(const std::string& yaml) {
  std::vector<std::string> lines;
  try {
    make_task(yaml);
  } catch (const Mistakes& e) {
    for (const Mistake& m : e.list()) lines.push_back(std::to_string(m.place.line) + ": " + m.text);
  } catch (const Error& e) {
    lines.emplace_back(e.what());
  }
  return lines;
}

constexpr const char* kScene = R"(
bodies:
  a:
    mesh: {generator: {type: box, cells: [2, 1, 1]}}
    density: [1, 2, 3]
    materials:
      - {type: corotated, elements: {indices: [77]}}
      - {type: volume, E: [1e5, 1e5, 1e5]}
    initial: {velocities: [[0, 0, 0], [1, 1, 1]]}
    pins:
      - {nodes: {sphere: {center: [9, 9, 9], radius: 1}}}
      - {nodes: {indices: [0]}, motion: {type: key_frames, times: [0, 1], offsets: [0, 0, 0]}}
  b:
    mesh: {generator: {type: box}}
    materials: [{type: corotated}]
    initial: {twist: {axis: [0, 0, 0]}}
losses: [{loss: {type: linear_functional}}]
)";

TEST(MistakesOfAScene, OfBodiesAreSaidTogetherInTheOrderOfTheFile) {
  const auto lines = mistakes_of(kScene);
  ASSERT_EQ(lines.size(), 7U) << ::testing::PrintToString(lines);
  EXPECT_THAT(lines[0], HasSubstr("5: bodies.a.density: 3 values given; one or 2"));
  EXPECT_THAT(lines[1], HasSubstr("7: bodies.a.materials[0].elements: "));
  EXPECT_THAT(lines[2], HasSubstr("8: bodies.a.materials[1].youngs_modulus: 3 values given; one or 2"));
  EXPECT_THAT(lines[3], HasSubstr("9: bodies.a.initial.velocities: 2 entries given; one or 12"));
  EXPECT_THAT(lines[4], HasSubstr("11: bodies.a.pins[0].nodes: the selection matches no vertex"));
  EXPECT_THAT(lines[5], HasSubstr("12: bodies.a.pins[1].motion.offsets: 1 entries given for 2 times"));
  EXPECT_THAT(lines[6], HasSubstr("16: bodies.b.initial.twist.axis: the axis must not be zero"));
}

TEST(MistakesOfAScene, OfForcesParametersAndPinsAreSaidTogether) {
  const auto lines = mistakes_of(R"(
bodies:
  a:
    mesh: {generator: {type: box}}
    materials: [{type: corotated}]
    pins: [{nodes: {indices: [999]}}]
forces:
  pull: {type: nodal_force, force: [1, 0, 0]}
losses:
  - {loss: {type: linear_functional, positions: [[1, 0, 0], [2, 0, 0]]}}
parameters:
  - {path: "bodies.a.materials[0].youngs_modulos", lower: 1, upper: 2}
  - {path: bodies.a.density, lower: -1, upper: 2}
)");
  ASSERT_EQ(lines.size(), 4U) << ::testing::PrintToString(lines);
  EXPECT_THAT(lines[0], HasSubstr("6: bodies.a.pins[0].nodes"));
  EXPECT_THAT(lines[1], HasSubstr("10: losses[0].loss.positions"));
  EXPECT_THAT(lines[2], HasSubstr("12: parameters[0].path"));
  EXPECT_THAT(lines[3], HasSubstr("13: parameters[1].lower: -1 is outside the range"));
}

TEST(MistakesOfAScene, AMissingPluginHidesNothingElseAndBlamesNoTypes) {
  const auto lines = mistakes_of(R"(
plugins: [no/such.so, nor/that.so]
bodies:
  a:
    mesh: {generator: {type: box, cels: [1, 1, 1]}}
    materials: [{type: of_that_plugin, stiffness: 3}]
time: {steps: -4}
)");
  ASSERT_EQ(lines.size(), 4U) << ::testing::PrintToString(lines);
  EXPECT_THAT(lines[0], HasSubstr("no/such.so: no such file"));
  EXPECT_THAT(lines[1], HasSubstr("nor/that.so: no such file"));
  EXPECT_THAT(lines[2], HasSubstr("5: unknown key 'cels'"));
  EXPECT_THAT(lines[3], HasSubstr("7: time.steps"));
}

TEST(MistakesOfAScene, AMistypedNameInAnOverrideIsExplained) {
  try {
    read_scene("bodies: {plant: {mesh: {generator: {type: box}}, materials: [{type: corotated}]}}",
               {"bodies.plnt.mesh.scale=2"});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("bodies.plnt: the file has no such entry, so this makes a new one; did you "
                          "mean 'plant'?"));
  }
}

}  // namespace
}  // namespace resilin::test

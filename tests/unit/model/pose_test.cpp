// The initial pose as a parameter, and meshes from a folder of assets.
#include "core/mesh/io.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

namespace resilin::test {
namespace {

std::string thrown(const std::string& body, const std::string& more = {}) {
  return R"(
time: {step: 0.01, steps: 3}
bodies:
  a:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.3}]
    )" + body +
         R"(
forces: {wind: {type: body_force, fx: "10*z*vy + x", fy: "20*x*x", fz: "y*vx"}}
forward: {relative_tolerance: 1e-12}
backward: {relative_tolerance: 1e-11}
losses: [{loss: {type: reach_target, target: [0.3, 0.2, 0.1]}}]
)" + more;
}
const std::vector<std::string> kPose = {"bodies.a.initial.translation", "bodies.a.initial.rotation"};

TEST(InitialPose, HasTheGradientOfDifferences) {
  const auto task = make_task(thrown(
      "initial: {translation: [0.1, 0, 0.3], rotation: [0.5, -1, 0.8], angular_velocity: [3, 5, -2], twist: "
      "{axis: [1, 0, 0], rate: 3}}"));
  expect_gradients(*task, kPose, 3);
}

TEST(InitialPose, HasAGradientWhereNothingIsTurned) {
  const auto task = make_task(thrown("initial: {angular_velocity: [3, 5, -2]}"));
  expect_gradients(*task, kPose, 1);  // a turn about the bar itself changes next to nothing
}

TEST(InitialPose, MovesWithPinsThatHoldTheRestShapeOnly) {
  const auto names = [](const std::string& pins) {
    std::vector<std::string> found;
    const auto task = make_task(thrown(pins));
    for (const ParameterEntry& e : task->simulation().system().parameters().entries())
      if (e.path == kPose[0] || e.path == kPose[1]) found.push_back(e.path);
    return found;
  };
  EXPECT_EQ(names("pins: [{nodes: {indices: [0]}, hold: rest}]"), kPose);
  EXPECT_TRUE(names("pins: [{nodes: {indices: [0]}}]").empty());
}

TEST(InitialPose, FollowsTheRestShapeToo) {
  const auto task = make_task(
      thrown("initial: {rotation: [0.5, -1, 0.8], angular_velocity: [1, 2, 3]}\n    rest_shape: {}"));
  std::vector<std::string> paths = kPose;
  paths.emplace_back("bodies.a.rest_shape.displacements");
  expect_gradients(*task, paths, 3);
}

TEST(Assets, TakeThePlaceOfTheGenerator) {
  const TestFolder folder;
  const Mesh mesh = make_box({1, 2, 3}, {1, 2, 3}, ElementType::Hex8);
  write_vtu(folder.file("block.vtu"), mesh);
  const std::string scene = R"(
bodies:
  a:
    mesh:
      generator: box
      asset: {file: block.vtu, scale: 0.1, rotation: [0, 0, 1.5707963267948966], translation: [0, 0, 1]}
    materials: [corotated]
)";
  const auto generated = make_simulation(scene);
  EXPECT_EQ(generated->system().num_nodes(), 125);
  const SceneFile file = read_scene(scene, {"assets=" + folder.file("")});
  const Simulation taken(file.options.scene, registry(), file.places);
  ASSERT_EQ(taken.system().num_nodes(), mesh.num_vertices());
  const Mat3X& x = taken.system().bodies()[0]->mesh.vertices;
  EXPECT_LT((x.row(0) + 0.1 * mesh.vertices.row(1)).norm(), 1e-15);
  EXPECT_LT((x.row(1) - 0.1 * mesh.vertices.row(0)).norm(), 1e-15);
  EXPECT_LT((x.row(2).array() - 1 - 0.1 * mesh.vertices.row(2).array()).abs().maxCoeff(), 1e-15);
  const SceneFile resolved = read_scene(file.resolved);
  EXPECT_EQ(Simulation(resolved.options.scene, registry(), resolved.places).system().num_nodes(), 24);
}

TEST(Assets, AMissingFolderOrFileIsNamed) {
  const std::string scene =
      "bodies: {a: {mesh: {generator: box, asset: {file: nothing.vtk}}, materials: [corotated]}}";
  const TestFolder folder;
  const auto error_with = [&](const std::string& assets) -> std::string {
    try {
      make_simulation(scene, {"assets=" + assets});
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(error_with(folder.file("none")), ::testing::HasSubstr("there is no folder"));
  EXPECT_THAT(error_with(folder.file("")), ::testing::HasSubstr("nothing.vtk"));
}

}  // namespace
}  // namespace resilin::test

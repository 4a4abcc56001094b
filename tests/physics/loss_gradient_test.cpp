// Every registered loss through a small simulation: the adjoint gradient of its parameters.
#include "core/optim/gradcheck.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

constexpr const char* kScene = R"(
time: {step: 0.01, steps: 4}
bodies:
  a:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: neo_hookean, E: [1e5, 2e5], nu: 0.4}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
    initial: {velocity: [0.1, 0.2, 0.3]}
forward: {type: newton, relative_tolerance: 1e-11, absolute_tolerance: 0}
backward: {type: direct}
parameters: [{path: gravity, lower: -20, upper: 20, start: [-3]}]
losses: [{loss: {type: match_trajectory}}]
)";

/// What each loss is set to; a type that is not listed is taken with its defaults.
std::string example(const std::string& type) {
  const std::map<std::string, std::string> all = {
      {"reach_target",
       "{type: reach_target, of: center_of_mass, target: {steps: [[0.1, 0, 1], [0, 0.3, 0]]}, "
       "frames: [2, 4]}"},
      {"bounce_apex", "{type: bounce_apex, bounces: 0, up: [1, 0, 0], target: [0.1, 0.2, 0.3]}"},
      {"forward_velocity", "{type: forward_velocity, direction: [1, 2, -1], sideways_weight: 3}"},
      {"key_points",
       "{type: key_points, points: [{nodes: {indices: [0, 3, 7]}, target: [0.1, 0, 1]}, {nodes: {indices: "
       "[5]}, "
       "target: [0, 0.3, 0], frame: 2}]}"},
      {"pixel_reprojection", "{type: pixel_reprojection, observations: " + observations_file() +
                                 ", width: 1280, height: 720, markers: {beam: {nodes: {indices: [0, 3, "
                                 "7]}}}, camera: {position: [0.1, -2, 0.3], rotation: "
                                 "[-1.5, 0.1, 0.2], focal_length: 1000, principal_x: 640, principal_y: 360, "
                                 "distortion_k1: 0.1, distortion_k2: -0.2}}"},
      {"smooth_maximum",
       "{type: smooth_maximum, sharpness: 1e3, loss: {type: match_trajectory, velocity_weight: "
       "1e-2}}"}};
  const auto found = all.find(type);
  return found == all.end() ? "{type: " + type + "}" : found->second;
}

class LossGradient : public ::testing::TestWithParam<std::string> {};

TEST_P(LossGradient, AgreesWithDifferencesForEveryParameter) {
  const auto task = make_task(kScene, {"losses=[{weight: 2.5, loss: " + example(GetParam()) + "}]"});
  VecX ignored;
  task->evaluate_table(ignored);  // a reference is the motion of the scene as it is written ...
  task->apply(task->start());     // ... and this is another one
  GradcheckOptions options;
  options.coordinates = 2;
  options.random_directions = 1;
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_TRUE(report.passed);
  int resolved = 0;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << " " << row.direction << ": " << row.adjoint << " "
                            << row.difference;
    resolved += row.below_noise || row.adjoint == 0 ? 0 : 1;
  }
  EXPECT_GT(resolved, 10);
}

INSTANTIATE_TEST_SUITE_P(Registry, LossGradient, ::testing::ValuesIn(registry().types("loss")));

}  // namespace
}  // namespace resilin::test

// A controller is trained, kept in a file and taken up again.
#include "core/output/trajectory_file.hpp"
#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class ControllerTest : public CliTest {
 protected:
  static std::string task(const std::string& weights) {
    return R"(
time: {step: 0.02, steps: 6}
gravity: [0, 0, 0]
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: muscle, stiffness: 1e5}]
controllers:
  swim:
    sensors: [{type: centroid_motion, quantity: velocity}, {type: clock, period: 0.1}]
    law: {type: mlp, hidden: [4], lower: 0.8, upper: 1.2)" +
           weights + R"(}
    drives: [{parameter: "bodies.beam.materials[1].activation"}]
forward: {relative_tolerance: 1e-9}
parameters: [{path: controllers.swim.law.weights, from: scene}]
losses: [{loss: {type: reach_target, nodes: {indices: [0]}, target: [0.01, 0, 0]}}]
optimizer: {type: adam, max_iterations: 3}
record: {vtu: false}
)";
  }
};

TEST_F(ControllerTest, TheTrainedWeightsAreTakenUpAgainToTheLastBit) {
  write("task.yaml", task(""));
  (void)run({"optimize", "task.yaml", "-o", "out"});  // three iterations converge to nothing
  const MatX weights = read_table(path("out/swim_weights.csv"));
  ASSERT_EQ(weights.rows(), 4 * 6 + 5);
  const JsonValue summary = json("out/summary.json");
  EXPECT_LT(summary.at("loss").number, summary.at("first_loss").number);
  const auto& found = summary.at("parameters").at(0).at("found").items;
  ASSERT_EQ(found.size(), 29u);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].number, weights(static_cast<Index>(i), 0)) << i;
  write("trained.yaml", task(", weights: {file: out/swim_weights.csv}"));
  ASSERT_EQ(run({"run", "trained.yaml", "-o", "again"}).code, 0);
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "fitted"}).code, 0);
  const TrajectoryReader first(path("out/trajectory.h5")), again(path("again/trajectory.h5")),
      fitted(path("fitted/trajectory.h5"));
  ASSERT_EQ(first.num_frames(), 7);
  EXPECT_EQ(first.state(6).x, again.state(6).x);
  EXPECT_EQ(first.state(6).x, fitted.state(6).x);
  EXPECT_GT((again.state(6).x - again.state(0).x).norm(), 1e-3) << "it moves itself";
}

TEST_F(ControllerTest, ATrainingThatIsCutOffGoesOnToTheSameBits) {
  write("task.yaml", task(""));
  (void)run({"optimize", "task.yaml", "-o", "whole"});
  (void)run({"optimize", "task.yaml", "-o", "part"});
  const std::string journal = read("part/evaluations.bin");
  write("part/evaluations.bin", journal.substr(0, journal.size() - 100));  // the last record is torn
  (void)run({"optimize", "task.yaml", "-o", "part", "--resume"});
  EXPECT_EQ(read("whole/swim_weights.csv"), read("part/swim_weights.csv"));
  EXPECT_EQ(read("whole/loss.csv"), read("part/loss.csv"));
}

}  // namespace
}  // namespace resilin

// A controller that learns by trial, as a user runs it: steps, budget, and going on after a kill.
#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class PpoTest : public CliTest {
 protected:
  static constexpr double kSteps = 6;
  static std::string task(const std::string& optimizer) {
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
    law: {type: mlp, hidden: [4], lower: 0.8, upper: 1.2}
    drives: [{parameter: "bodies.beam.materials[1].activation"}]
forward: {relative_tolerance: 1e-9}
parameters: [{path: controllers.swim.law.weights, from: scene}]
losses: [{loss: {type: reach_target, nodes: {indices: [0]}, target: [0.03, 0, 0], every: 1}}]
optimizer: )" +
           optimizer + "\nrecord: {vtu: false}\n";
  }
  static constexpr char kOptimizer[] =
      "{type: ppo, max_iterations: 6, episodes: 4, minibatch: 8, step: 1e-2, sigma: 0.05}";
};

TEST_F(PpoTest, LearnsAndCountsTheStepsOfItsEpisodes) {
  write("task.yaml", task(kOptimizer));
  const ProgramResult r = run({"optimize", "task.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("evaluations").number, 7);
  EXPECT_EQ(v.at("forward_steps").number, kSteps * (7 + 6 * 4));
  EXPECT_EQ(v.at("backward_steps").number, 0);
  EXPECT_LT(v.at("loss").number, v.at("first_loss").number);
  EXPECT_EQ(v.at("status").text, "not_converged") << "nothing says that it is at the end";
  const std::string curve = read("out/loss.csv");
  EXPECT_TRUE(contains(curve, ",nan,6,0\n2,")) << curve;
  EXPECT_TRUE(contains(curve, ",nan,36,0\n3,")) << "four episodes and one evaluation later\n" << curve;
}

TEST_F(PpoTest, KeepsToABudgetOfSteps) {
  write("task.yaml", task(kOptimizer));
  const ProgramResult r = run({"optimize", "task.yaml", "-o", "out", "--set", "step_budget=80"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("forward_steps").number, 78) << "the steps of the last episodes too";
  EXPECT_TRUE(contains(v.at("note").text, "78 of 80 steps are used, the next episode takes 6"))
      << v.at("note").text;
}

TEST_F(PpoTest, CutOffWithinEpisodesItGoesOnToTheSameBits) {
  // With so much noise some episodes ask for muscles shorter than nothing; that they failed is recorded too.
  for (const char* sigma : {"0.05", "0.6"}) {
    write("task.yaml", task(kOptimizer));
    const auto optimize = [&](const std::string& out, std::vector<std::string> more) {
      std::vector<std::string> line = {"optimize", "task.yaml", "-o",
                                       out,        "--set",     std::string("optimizer.sigma=") + sigma};
      line.insert(line.end(), more.begin(), more.end());
      return run(line);
    };
    const ProgramResult first = optimize("whole", {});
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(contains(first.err, "an episode counts for nothing"), std::string(sigma) == "0.6");
    const std::string evaluations = read("whole/evaluations.bin"), episodes = read("whole/episodes.bin");
    // Of an observation 5 numbers, an output and a reward, for 6 steps; behind four words, before a checksum.
    constexpr std::size_t kRecord = 8 * (4 + 6 * 7 + 1), kHeader = 24;
    ASSERT_EQ(episodes.size(), kHeader + 24 * kRecord);
    const std::size_t evaluation = (evaluations.size() - kHeader) / 7;
    // Killed in the third iteration, while its second episode was written.
    ASSERT_EQ(optimize("part", {}).code, 0);
    write("part/evaluations.bin", evaluations.substr(0, kHeader + 3 * evaluation));
    write("part/episodes.bin", episodes.substr(0, kHeader + 9 * kRecord + 100));
    const ProgramResult r = optimize("part", {"--resume"});
    ASSERT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_TRUE(contains(r.err, "the last episode was not finished and is dropped")) << r.err;
    for (const char* file : {"evaluations.bin", "episodes.bin", "loss.csv", "swim_weights.csv"})
      EXPECT_EQ(read(std::string("part/") + file), read(std::string("whole/") + file)) << sigma << file;
    EXPECT_EQ(json("part/summary.json").at("note").text, json("whole/summary.json").at("note").text);
  }
}

TEST_F(PpoTest, AnUnfinishedOneIsKeptIfResumeIsForgotten) {
  write("task.yaml", task(kOptimizer));
  ASSERT_EQ(run({"optimize", "task.yaml", "-o", "out"}).code, 0);
  const std::string episodes = read("out/episodes.bin");
  ASSERT_EQ(run({"optimize", "task.yaml", "-o", "out"}).code, 0);
  EXPECT_EQ(read("out/episodes.bin"), episodes);
  EXPECT_EQ(read("out/episodes.bin.old"), episodes);
}

TEST_F(PpoTest, EpisodesOfAnotherProblemAreRefused) {
  write("task.yaml", task(kOptimizer));
  ASSERT_EQ(run({"optimize", "task.yaml", "-o", "one"}).code, 0);
  ASSERT_EQ(run({"optimize", "task.yaml", "-o", "two", "--set", "gravity=[0, 0, -1]"}).code, 0);
  write("one/episodes.bin", read("two/episodes.bin"));
  const ProgramResult r = run({"optimize", "task.yaml", "-o", "one", "--resume"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(contains(r.err, "episodes.bin' was written for another problem")) << r.err;
}

TEST_F(PpoTest, WithoutControllersItSaysSoAtItsPlace) {
  write("tiny.yaml", tiny_task());
  const ProgramResult r = run({"optimize", "tiny.yaml", "-o", "out", "--set", "optimizer={type: ppo}"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(contains(r.err, "optimizer: ppo learns controllers by trial, but there are none")) << r.err;
  EXPECT_TRUE(contains(r.err, "--set")) << "no place\n" << r.err;
}

TEST_F(PpoTest, AStudyTellsLossAgainstStepsAndTime) {
  write("task.yaml", task(kOptimizer));
  write("study.yaml", std::string(R"(
title: By gradient and by trial
scenes:
  beam: {file: task.yaml, set: {step_budget: 200}}
variants:
  adam: {set: {optimizer: {type: adam, step: 1e-2, schedule: constant}}}
  ppo: {}
optimize: true
)"));
  const ProgramResult r = run({"ablate", "study.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const std::string table = read("out/table.md"), rows = read("out/rows.csv");
  EXPECT_TRUE(contains(table, "# By gradient and by trial")) << table;
  EXPECT_TRUE(contains(table, "| beam | adam |  | 1 | ")) << table;
  EXPECT_TRUE(contains(table, "| 16 | 96 | 96 | ")) << "evaluations and steps of adam\n" << table;
  EXPECT_TRUE(contains(table, "| 7 | 186 | 0 | ")) << "evaluations and steps of ppo\n" << table;
  EXPECT_TRUE(contains(table, "(1x)")) << table;
  EXPECT_TRUE(contains(rows, "beam,ppo,,1,36,")) << rows;
  // The same as `optimize` finds, to the digits of the table.
  ASSERT_EQ(run({"optimize", "task.yaml", "-o", "same"}).code, 0);
  char loss[40];
  std::snprintf(loss, sizeof loss, "| %.6g | 7 |", json("same/summary.json").at("loss").number);
  EXPECT_TRUE(contains(table, loss)) << loss << "\n" << table;
}

TEST_F(PpoTest, AStudyThatCannotOptimiseIsRefused) {
  write("task.yaml", tiny_scene() + "losses: [{loss: {type: kinetic_energy}}]\n");
  const std::string study = "scenes: {a: {file: task.yaml}}\nvariants: {b: {}}\noptimize: true\n";
  write("study.yaml", study);
  ProgramResult r = run({"ablate", "study.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "a study that optimises needs parameters; there are none")) << r.err;
  write("study.yaml", study + "reference: b\n");
  r = run({"ablate", "study.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "neither a reference nor repeats")) << r.err;
}

}  // namespace
}  // namespace resilin

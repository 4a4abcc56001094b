#include "core/output/trajectory_file.hpp"
#include "tests/cli/program.hpp"

#include <cmath>

namespace resilin {
namespace {

class OptimizeTest : public CliTest {
 protected:
  static double found(const JsonValue& summary) {
    return summary.at("parameters").at(0).at("found").at(0).number;
  }
};

TEST_F(OptimizeTest, FindsTheStiffnessAndWritesTheResults) {
  write("tiny.yaml", tiny_task());
  const ProgramResult r = run({"optimize", "tiny.yaml"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "bodies.beam.materials[*].youngs_modulus")) << r.out;
  EXPECT_TRUE(contains(r.out, "relative error")) << r.out;
  const JsonValue v = json("results/tiny/summary.json");
  EXPECT_NEAR(found(v), 1e5, 10);
  EXPECT_EQ(v.at("parameters").at(0).at("truth").at(0).number, 1e5);
  EXPECT_EQ(v.at("parameters").at(0).at("start").at(0).number, 4e4);
  EXPECT_LT(v.at("loss").number, 1e-6 * v.at("first_loss").number);
  EXPECT_EQ(v.at("fitted_run").at("frames").number, 6);
  const JsonValue checkpoint = json("results/tiny/checkpoint.json");
  EXPECT_EQ(checkpoint.at("evaluations").number, v.at("evaluations").number);
  EXPECT_EQ(checkpoint.at("best").at("loss").number, v.at("loss").number);
  EXPECT_TRUE(contains(read("results/tiny/loss.csv"), "evaluation,loss,gradient_norm\n1,"));
}

TEST_F(OptimizeTest, TheFittedSceneRunsToTheFittedTrajectory) {
  write("tiny.yaml", tiny_task());
  ASSERT_EQ(run({"optimize", "tiny.yaml", "-o", "out"}).code, 0);
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "again"}).code, 0);
  const TrajectoryReader fitted(path("out/trajectory.h5")), again(path("again/trajectory.h5"));
  ASSERT_EQ(fitted.num_frames(), 6);
  EXPECT_EQ(fitted.state(5).x, again.state(5).x);
}

TEST_F(OptimizeTest, AParameterOfEachVertexIsFittedAndWritten) {
  write("tiny.yaml",
        tiny_scene() +
            "parameters: [{path: bodies.beam.initial.velocities, lower: -1, upper: 1, start: [0.05]}]\n"
            "losses: [{loss: {type: match_trajectory, velocity_weight: 1e-4}}]\n"
            "optimizer: {type: lbfgsb, max_iterations: 3}\n");
  const ProgramResult r = run({"optimize", "tiny.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "of 36)")) << r.out;
  EXPECT_TRUE(contains(r.out, "(absolute)")) << "its truth is zero\n" << r.out;
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "again"}).code, 0);
  const TrajectoryReader fitted(path("out/trajectory.h5")), again(path("again/trajectory.h5"));
  EXPECT_EQ(fitted.state(5).x, again.state(5).x);
  EXPECT_GT(again.state(0).v.norm(), 0);
}

TEST_F(OptimizeTest, OneRegionIsFittedAndTheOthersStayAsWritten) {
  write("tiny.yaml", tiny_scene() +
                         "    regions: {root: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}}\n"
                         "parameters:\n"
                         "  - {path: 'bodies.beam.materials[0].youngs_modulus[root]', lower: 1e4, upper: "
                         "1e6, start: [4e4]}\n"
                         "losses: [{loss: {type: match_trajectory}}]\n"
                         "optimizer: {type: lbfgsb, max_iterations: 2}\n");
  const ProgramResult r =
      run({"optimize", "tiny.yaml", "-o", "out", "--set",
           "bodies.beam.materials[0].youngs_modulus={regions: {root: 1e5}, default: 7e4}"});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string fitted = read("out/fitted.yaml");
  EXPECT_TRUE(contains(fitted, "default: 70000")) << fitted;
  EXPECT_FALSE(contains(fitted, "root: 100000\n")) << fitted;
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "again"}).code, 0);
  const TrajectoryReader written(path("out/trajectory.h5")), again(path("again/trajectory.h5"));
  EXPECT_EQ(written.state(5).x, again.state(5).x);
}

TEST_F(OptimizeTest, KilledAndResumedItGivesTheSameBits) {
  write("tiny.yaml", tiny_task(60));
  const std::vector<std::string> line = {"optimize", "tiny.yaml", "--set", "record.vtu=false", "-o"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = line;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(with({"whole"})).code, 0);
  {
    Program program(folder(), with({"killed"}));
    // Two records of one parameter: 24 bytes of header and 40 each.
    ASSERT_TRUE(program.wait_until([&] {
      std::error_code none;
      return exists("killed/evaluations.bin") &&
             std::filesystem::file_size(path("killed/evaluations.bin"), none) >= 104;
    }));
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().code, 128 + SIGKILL);
  }
  EXPECT_FALSE(exists("killed/summary.json"));
  const double before = json("killed/checkpoint.json").at("evaluations").number;
  const ProgramResult resumed = run(with({"killed", "--resume"}));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "recorded evaluations")) << resumed.err;

  const JsonValue whole = json("whole/summary.json"), again = json("killed/summary.json");
  EXPECT_LT(before, whole.at("evaluations").number) << "it was killed in the middle";
  EXPECT_EQ(found(whole), found(again));
  EXPECT_EQ(whole.at("loss").number, again.at("loss").number);
  EXPECT_EQ(whole.at("evaluations").number, again.at("evaluations").number);
  EXPECT_EQ(read("whole/loss.csv"), read("killed/loss.csv"));
  EXPECT_EQ(read("whole/evaluations.bin"), read("killed/evaluations.bin"));
}

TEST_F(OptimizeTest, CtrlCSaysHowToGoOn) {
  write("long.yaml", tiny_task(200));
  Program program(folder(), {"optimize", "long.yaml", "-o", "out"});
  ASSERT_TRUE(program.wait_until([&] { return exists("out/checkpoint.json"); }));
  program.send(SIGINT);
  const ProgramResult r = program.wait();
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_TRUE(contains(r.err, "optimize long.yaml -o out --resume")) << r.err;
  EXPECT_TRUE(contains(r.err, "out/evaluations.bin")) << r.err;
  EXPECT_EQ(json("out/summary.json").at("status").text, "interrupted");
}

TEST_F(OptimizeTest, AJournalOfAnotherProblemIsRefusedOrReplaced) {
  write("tiny.yaml", tiny_task());
  ASSERT_EQ(run({"optimize", "tiny.yaml", "-o", "out"}).code, 0);
  const ProgramResult r =
      run({"optimize", "tiny.yaml", "-o", "out", "--resume", "--set", "gravity=[0, 0, -5]"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "evaluations.bin")) << r.err;
  EXPECT_EQ(run({"optimize", "tiny.yaml", "-o", "out", "--set", "gravity=[0, 0, -5]"}).code, 0);
}

TEST_F(OptimizeTest, NotConvergedIsSaid) {
  write("tiny.yaml", tiny_task());
  const ProgramResult r =
      run({"optimize", "tiny.yaml", "--set", "optimizer={type: lbfgsb, max_iterations: 1}"});
  EXPECT_EQ(r.code, 0) << "the loss fell\n" << r.err;
  EXPECT_TRUE(contains(r.out, "NOT CONVERGED: iteration limit")) << r.out;
  const JsonValue v = json("results/tiny/summary.json");
  EXPECT_EQ(v.at("status").text, "not_converged");
  EXPECT_FALSE(v.at("converged").flag);
}

TEST_F(OptimizeTest, ASceneWithoutParametersIsNoTask) {
  write("tiny.yaml", tiny_scene());
  const ProgramResult r = run({"optimize", "tiny.yaml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "needs parameters")) << r.err;
  EXPECT_FALSE(exists("results"));
}

TEST_F(OptimizeTest, AFailedEvaluationNamesItsParametersAndKeepsTheBest) {
  // At rest nothing is to be solved; any force takes Newton's method more than one iteration.
  write("kick.yaml", tiny_scene() +
                         "gravity: [0, 0, 0]\n"
                         "forward: {type: newton, max_iterations: 1}\n"
                         "forces: {kick: {type: nodal_force, force: [0, 0, 0]}}\n"
                         "parameters: [{path: forces.kick.force, lower: -1e3, upper: 1e3, start: [0]}]\n"
                         "losses: [{loss: {type: linear_functional, positions: [1, 2, 3]}}]\n");
  const ProgramResult r = run({"optimize", "kick.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(contains(r.err, "evaluation 2 (forces.kick.force = 3 values in [")) << r.err;
  EXPECT_TRUE(contains(r.err, "did not converge")) << r.err;
  EXPECT_TRUE(contains(r.err, "the best parameters before")) << r.err;
  EXPECT_EQ(json("out/summary.json").at("status").text, "failed");
  EXPECT_EQ(json("out/checkpoint.json").at("best").at("evaluation").number, 1);
}

}  // namespace
}  // namespace resilin

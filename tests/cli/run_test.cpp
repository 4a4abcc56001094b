#include "core/output/trajectory_file.hpp"
#include "tests/cli/program.hpp"

#include <algorithm>

namespace resilin {
namespace {

class RunTest : public CliTest {};

TEST_F(RunTest, WritesTrajectorySeriesSceneAndSummary) {
  write("tiny.yaml", tiny_scene());
  const ProgramResult r = run({"run", "tiny.yaml"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "results/tiny/trajectory.h5")) << r.out;
  const TrajectoryReader frames(path("results/tiny/trajectory.h5"));
  ASSERT_EQ(frames.num_frames(), 6);
  EXPECT_EQ(frames.num_nodes(), 12);
  EXPECT_EQ(frames.step(5), 5);
  EXPECT_DOUBLE_EQ(frames.state(5).t, 0.05);
  EXPECT_LT(as_columns(frames.state(5).x).row(2).minCoeff(), -1e-3) << "the free end falls";
  EXPECT_EQ(frames.scene(), read("results/tiny/scene.yaml"));
  EXPECT_TRUE(contains(read("results/tiny/tiny.pvd"), "tiny/beam_000005.vtu"));
  EXPECT_TRUE(exists("results/tiny/tiny/beam_000005.vtu"));
}

TEST_F(RunTest, TheSummarySaysWhatHappened) {
  write("tiny.yaml", tiny_scene());
  const ProgramResult r = run({"run", "tiny.yaml", "-o", "out", "--json", "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, read("out/summary.json"));
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("status").text, "finished");
  EXPECT_TRUE(contains(v.at("command").text, "run tiny.yaml -o out --json --threads 1"));
  EXPECT_EQ(v.at("scene_hash").text.size(), 16U);
  EXPECT_EQ(v.at("steps").number, 5);
  EXPECT_EQ(v.at("frames").number, 6);
  EXPECT_EQ(v.at("threads").number, 1);
  EXPECT_EQ(v.at("not_converged").number, 0);
  EXPECT_GE(v.at("iterations").number, 5);
  EXPECT_LE(v.at("worst_residual_ratio").number, 1);
  EXPECT_GT(v.at("wall_time").number, 0);
  EXPECT_FALSE(v.at("plugins").items.empty());
  const JsonValue& last = v.at("energies").at("last");
  EXPECT_GT(last.at("elastic").number, 0);
  EXPECT_LT(last.at("gravitational").number, v.at("energies").at("first").at("gravitational").number);
}

TEST_F(RunTest, TheResolvedSceneGivesTheSameBitsWithAnyNumberOfThreads) {
  write("tiny.yaml", tiny_scene());
  ASSERT_EQ(run({"run", "tiny.yaml", "-o", "a", "--threads", "1"}).code, 0);
  ASSERT_EQ(run({"run", "a/scene.yaml", "-o", "b", "--threads", "3"}).code, 0);
  const TrajectoryReader a(path("a/trajectory.h5")), b(path("b/trajectory.h5"));
  ASSERT_EQ(a.num_frames(), b.num_frames());
  for (Index k = 0; k < a.num_frames(); ++k) EXPECT_EQ(a.state(k).x, b.state(k).x) << k;
}

TEST_F(RunTest, RecordsWhatTheSceneAsksFor) {
  write("tiny.yaml", tiny_scene());
  ASSERT_EQ(run({"run", "tiny.yaml", "-o", "out", "--set", "record={every: 2, vtu: false}"}).code, 0);
  const TrajectoryReader frames(path("out/trajectory.h5"));
  ASSERT_EQ(frames.num_frames(), 4) << "steps 0, 2, 4 and the last";
  EXPECT_EQ(frames.step(2), 4);
  EXPECT_EQ(frames.step(3), 5);
  EXPECT_FALSE(exists("out/tiny.pvd"));
  ASSERT_EQ(run({"run", "tiny.yaml", "-o", "bare", "--set", "record={hdf5: false, vtu: false}"}).code, 0);
  EXPECT_FALSE(exists("bare/trajectory.h5"));
  EXPECT_TRUE(exists("bare/summary.json"));
}

TEST_F(RunTest, AShorterRunLeavesNoFramesOfALongerOne) {
  write("tiny.yaml", tiny_scene());
  ASSERT_EQ(run({"run", "tiny.yaml", "-o", "out"}).code, 0);
  write("out/tiny/notes.vtu", "not a frame");
  ASSERT_EQ(run({"run", "tiny.yaml", "-o", "out", "--set", "time.steps=2"}).code, 0);
  EXPECT_TRUE(exists("out/tiny/beam_000002.vtu"));
  EXPECT_FALSE(exists("out/tiny/beam_000003.vtu"));
  EXPECT_TRUE(exists("out/tiny/notes.vtu"));
}

TEST_F(RunTest, AFailureSaysWhereAndLeavesTheFramesBefore) {
  // Without gravity nothing moves until the kick, which takes Newton's method more than one iteration.
  write("kick.yaml",
        tiny_scene() +
            "gravity: [0, 0, 0]\n"
            "forward: {type: newton, max_iterations: 1}\n"
            "forces: {kick: {type: nodal_force, force: {steps: [[0, 0, 0], [0, 0, 0], [0, 0, 0],\n"
            "  [9, 0, 9], [0, 0, 0]]}}}\n");
  const ProgramResult r = run({"run", "kick.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(contains(r.err, "step 4 (t = 0.04 s) did not converge")) << r.err;
  EXPECT_TRUE(contains(r.err, "4 frames are in out")) << r.err;
  const TrajectoryReader frames(path("out/trajectory.h5"));
  ASSERT_EQ(frames.num_frames(), 4);
  EXPECT_EQ(frames.step(3), 3);
  EXPECT_TRUE(exists("out/tiny/beam_000003.vtu"));
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("status").text, "failed");
  EXPECT_TRUE(contains(v.at("message").text, "did not converge"));
  EXPECT_EQ(v.at("steps").number, 3);
}

TEST_F(RunTest, OnFailureWarnGoesOnAndSaysHowOften) {
  write("kick.yaml", tiny_scene() +
                         "gravity: [0, 0, 0]\n"
                         "forward: {type: newton, max_iterations: 1}\n"
                         "on_failure: warn\n"
                         "forces: {kick: {type: nodal_force, force: [9, 0, 9]}}\n");
  const ProgramResult r = run({"run", "kick.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 0) << "as documented\n" << r.err;
  EXPECT_TRUE(contains(r.err, "step 1: not converged")) << r.err;
  EXPECT_TRUE(contains(r.out, "NOT CONVERGED: 5 solves (on_failure: warn)")) << r.out;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("not_converged").number, 5);
  EXPECT_GT(v.at("worst_residual_ratio").number, 1);
  EXPECT_TRUE(contains(run({"run", "--help"}).out, "on_failure: warn"));
}

/// A scene that runs until it is told to end.
class SignalTest : public RunTest, public testing::WithParamInterface<int> {};

TEST_P(SignalTest, EndsItWithReadableFrames) {
  write("long.yaml", tiny_scene(1'000'000));
  // As a test that was itself started by nohup would hand on.
  const auto inherited = std::signal(SIGHUP, SIG_DFL);
  Program program(folder(), {"run", "long.yaml", "-o", "out", "--set", "record={vtu: false}"});
  std::signal(SIGHUP, inherited);
  ASSERT_TRUE(program.wait_until([&] {
    std::error_code none;
    return exists("out/trajectory.h5") &&
           std::filesystem::file_size(path("out/trajectory.h5"), none) > 100'000;
  }));
  program.send(GetParam());
  const ProgramResult r = program.wait();
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_TRUE(contains(r.err, "interrupted after step ")) << r.err;
  EXPECT_TRUE(contains(r.err, "frames are in out")) << r.err;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("status").text, "interrupted");
  const TrajectoryReader frames(path("out/trajectory.h5"));
  EXPECT_EQ(static_cast<double>(frames.num_frames()), v.at("frames").number);
  EXPECT_EQ(static_cast<double>(frames.step(frames.num_frames() - 1)), v.at("steps").number);
}

INSTANTIATE_TEST_SUITE_P(All, SignalTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(RunTest, AHangUpThatNohupIgnoresIsIgnored) {
  write("long.yaml", tiny_scene(1'000'000));
  const auto inherited = std::signal(SIGHUP, SIG_IGN);
  Program program(folder(), {"run", "long.yaml", "-o", "out", "--set", "record={vtu: false}"});
  std::signal(SIGHUP, inherited);
  ASSERT_TRUE(program.wait_until([&] { return exists("out/trajectory.h5"); }));
  program.send(SIGHUP);
  // A signal that is heard ends it within a step.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_FALSE(exists("out/summary.json"));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().code, 130);
}

TEST_F(RunTest, ProgressIsWrittenUnlessQuiet) {
  write("tiny.yaml", tiny_scene());
  EXPECT_TRUE(contains(run({"run", "tiny.yaml"}).err, "5/5"));
  EXPECT_EQ(run({"run", "tiny.yaml", "--quiet"}).err, "");
}

TEST_F(RunTest, AnOutputFolderThatCannotBeMadeIsAnError) {
  write("tiny.yaml", tiny_scene());
  const ProgramResult r = run({"run", "tiny.yaml", "-o", "tiny.yaml/out"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "tiny.yaml/out")) << r.err;
}

}  // namespace
}  // namespace resilin

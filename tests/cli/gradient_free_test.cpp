// Optimisations without gradients, and what evaluations cost.
#include "tests/cli/program.hpp"

#include <cmath>

namespace resilin {
namespace {

class GradientFreeTest : public CliTest {
 protected:
  ProgramResult optimize(const std::string& out, std::vector<std::string> sets) {
    std::vector<std::string> line = {"optimize", "tiny.yaml", "-o", out};
    for (const std::string& set : sets) line.insert(line.end(), {"--set", set});
    return run(line);
  }
  JsonValue summary(const std::string& out) { return json(out + "/summary.json"); }
  static double found(const JsonValue& summary) {
    return summary.at("parameters").at(0).at("found").at(0).number;
  }
  static double steps(const JsonValue& summary) {
    return summary.at("forward_steps").number + summary.at("backward_steps").number;
  }
  static constexpr double kSteps = 5;  ///< of tiny_task()
};

TEST_F(GradientFreeTest, EvolutionStrategiesFindTheStiffnessWithoutOneStepBackward) {
  write("tiny.yaml", tiny_task());
  for (const std::string type : {"cma_es", "one_plus_one_es"}) {
    const ProgramResult r = optimize(type, {"optimizer={type: " + type + "}"});
    ASSERT_EQ(r.code, 0) << r.out << r.err;
    const JsonValue v = summary(type);
    EXPECT_NEAR(found(v), 1e5, 10) << type;
    EXPECT_EQ(v.at("status").text, "converged") << type;
    EXPECT_EQ(v.at("backward_steps").number, 0) << type;
    EXPECT_EQ(v.at("forward_steps").number, kSteps * v.at("evaluations").number) << type;
    EXPECT_TRUE(contains(r.out, " + 0 steps forward + backward)")) << r.out;
    EXPECT_TRUE(contains(read(type + "/loss.csv"), ",nan,10,0\n3,")) << read(type + "/loss.csv");
  }
}

TEST_F(GradientFreeTest, AChainFindsItGloballyAndThenExactly) {
  write("tiny.yaml", tiny_task());
  const ProgramResult r = optimize(
      "out", {"optimizer={type: chain, optimizers: [{type: cma_es, max_iterations: 4}, {type: lbfgsb}]}"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = summary("out");
  EXPECT_NEAR(found(v), 1e5, 1);
  EXPECT_LT(v.at("loss").number, 1e-6 * v.at("first_loss").number);
  // One variable: generations of four points after the start, then losses with gradients.
  const double values = 1 + 4 * 4, gradients = v.at("evaluations").number - values;
  EXPECT_GT(gradients, 2);
  EXPECT_EQ(v.at("forward_steps").number, kSteps * (values + gradients));
  EXPECT_EQ(v.at("backward_steps").number, kSteps * gradients);
}

TEST_F(GradientFreeTest, GradientsCostAsManyStepsBackward) {
  write("tiny.yaml", tiny_task());
  ASSERT_EQ(optimize("out", {}).code, 0);
  const JsonValue v = summary("out");
  EXPECT_EQ(v.at("forward_steps").number, kSteps * v.at("evaluations").number);
  EXPECT_EQ(v.at("backward_steps").number, kSteps * v.at("evaluations").number);
}

TEST_F(GradientFreeTest, ABudgetOfStepsIsKeptByEveryOptimizer) {
  write("tiny.yaml", tiny_task());
  const std::map<std::string, std::string> optimizers = {
      {"lbfgsb", "{type: lbfgsb}"},
      {"lbfgs", "{type: lbfgs}"},
      {"adam", "{type: adam}"},
      {"gradient_descent", "{type: gradient_descent}"},
      {"cma_es", "{type: cma_es}"},
      {"one_plus_one_es", "{type: one_plus_one_es}"},
      {"multi_start", "{type: multi_start, starts: 3, candidates: 4}"},
      {"chain", "{type: chain, optimizers: [{type: cma_es, max_iterations: 1}, {type: lbfgsb}]}"}};
  constexpr double kBudget = 47;
  for (const auto& [type, optimizer] : optimizers) {
    const ProgramResult r = optimize(type, {"optimizer=" + optimizer, "step_budget=47"});
    const JsonValue v = summary(type);
    EXPECT_LE(steps(v), kBudget) << type;
    EXPECT_GT(steps(v), kBudget - 2 * kSteps) << type;
    EXPECT_EQ(v.at("status").text, "not_converged") << type << r.out;
    EXPECT_TRUE(contains(v.at("note").text, "the step budget is spent")) << v.at("note").text;
    EXPECT_EQ(r.code, 0) << "the loss has fallen\n" << r.err;
    EXPECT_LT(v.at("loss").number, v.at("first_loss").number) << type;
    // A resumed job counts what was spent before.
    const std::string recorded = read(type + "/evaluations.bin");
    ASSERT_EQ(run({"optimize", "tiny.yaml", "-o", type, "--set", "optimizer=" + optimizer, "--set",
                   "step_budget=47", "--resume"})
                  .code,
              0);
    EXPECT_EQ(read(type + "/evaluations.bin"), recorded) << type;
    EXPECT_EQ(steps(summary(type)), steps(v)) << type;
    EXPECT_EQ(summary(type).at("loss").number, v.at("loss").number) << type;
  }
}

TEST_F(GradientFreeTest, ABudgetForLessThanOneEvaluationIsAMistake) {
  write("tiny.yaml", tiny_task());
  ProgramResult r = optimize("out", {"step_budget=9"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(contains(r.err, "step_budget: too small for one evaluation: ")) << r.err;
  EXPECT_TRUE(contains(r.err, "0 of 9 steps are used, the next evaluation takes 10")) << r.err;
  EXPECT_TRUE(contains(r.err, "--set")) << "no place\n" << r.err;
  r = optimize("out", {"step_budget=4", "optimizer={type: cma_es}"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(contains(r.err, "takes 5")) << r.err;
}

// A film of the falling beam; the camera's place is found, in summary.json only: it is no part of the scene.
TEST_F(GradientFreeTest, ParametersOfLossesAreFound) {
  std::string film = "frame,marker,u,v\n";
  for (int k = 0; k <= 5; ++k) {
    // Without gravity the body floats along x: its centre is at (0.1 + 0.02 k, 0.05, 0.05).
    const double depth = 0.05 + 1.5, x = 0.1 + 0.02 * k - 0.3;
    film += std::to_string(k) + ",beam," + std::to_string(320 + 400 * x / depth) + "," +
            std::to_string(240 + 400 * (0.05 - 0.1) / depth) + "\n";
  }
  write("film.csv", film);
  std::string scene = tiny_scene();
  scene.erase(scene.find("    pins:"));
  write("tiny.yaml",
        scene +
            "    initial: {velocity: [2, 0, 0]}\ngravity: [0, 0, 0]\n"
            "losses: [{loss: {type: pixel_reprojection, observations: film.csv, width: 640, height: "
            "480, camera: {position: [0.3, 0.1, -1.5], focal_length: 400, principal_x: 320, "
            "principal_y: 240}}}]\n"
            "parameters:\n"
            "  - {path: 'losses[0].loss.camera.position', lower: -3, upper: 1, start: [0, 0, -1]}\n");
  const ProgramResult r = optimize("out", {"optimizer=lbfgsb"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = summary("out"), camera = v.at("parameters").at(0);
  EXPECT_EQ(camera.at("path").text, "losses[0].loss.camera.position");
  const std::vector<double> expected = {0.3, 0.1, -1.5};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(camera.at("found").at(i).number, expected[i], 1e-3);
  const std::string fitted = read("out/fitted.yaml");
  EXPECT_FALSE(contains(fitted, "losses")) << fitted;
  EXPECT_TRUE(contains(fitted, "density: 1000")) << fitted;
}

TEST_F(GradientFreeTest, KilledAndResumedItGivesTheSameBits) {
  write("tiny.yaml", tiny_task(40));
  const std::vector<std::string> line = {"optimize", "tiny.yaml", "--set",
                                         "optimizer={type: cma_es, max_iterations: 10}", "-o"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = line;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(with({"whole"})).code, 0);
  {
    Program program(folder(), with({"killed"}));
    ASSERT_TRUE(program.wait_until([&] {  // seven records in the second generation
      std::error_code none;
      return exists("killed/evaluations.bin") &&
             std::filesystem::file_size(path("killed/evaluations.bin"), none) >= 24 + 7 * 72;
    }));
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().code, 128 + SIGKILL);
  }
  EXPECT_FALSE(exists("killed/summary.json"));
  ASSERT_EQ(run(with({"killed", "--resume"})).code, 0);
  for (const char* file : {"evaluations.bin", "loss.csv", "fitted.yaml"})
    EXPECT_EQ(read(std::string("killed/") + file), read(std::string("whole/") + file)) << file;
}

TEST_F(GradientFreeTest, StartedAtTheOptimumItSaysSoAndFindsParametersWithoutInfluence) {
  write("tiny.yaml", tiny_task());
  ProgramResult r = optimize("at", {"parameters[0].start=[1e5]", "optimizer={type: cma_es}"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(summary("at").at("status").text, "already_stationary");
  EXPECT_NEAR(found(summary("at")), 1e5, 1e-6);
  EXPECT_TRUE(summary("at").at("without_influence").items.empty());
  r = optimize("none", {"parameters=[{path: gravity, lower: -1, upper: 1, start: [0.5]}]",
                        "losses=[{loss: {type: linear_functional, positions: [0, 0, 0]}}]",
                        "optimizer={type: cma_es}"});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_EQ(summary("none").at("status").text, "no_influence");
}

}  // namespace
}  // namespace resilin

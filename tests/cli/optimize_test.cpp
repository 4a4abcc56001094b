#include "core/output/trajectory_file.hpp"
#include "tests/cli/program.hpp"

#include <cmath>
#include <set>

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
  EXPECT_TRUE(contains(read("results/tiny/loss.csv"),
                       "evaluation,loss,gradient_norm,forward_steps,backward_steps\n1,"));
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

TEST_F(OptimizeTest, AConstantOfAFormulaIsFittedAndTheOthersStayAsWritten) {
  write("tiny.yaml",
        tiny_scene() +
            "forces: {wind: {type: body_force, constants: {a: 2*5, c: 1.5}, fy: a*c*t, fz: -a}}\n"
            "parameters: [{path: forces.wind.constants.c, lower: 0, upper: 4, start: [3]}]\n"
            "losses: [{loss: {type: match_trajectory}}]\n"
            "optimizer: {type: lbfgsb}\n");
  const ProgramResult r = run({"optimize", "tiny.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NEAR(found(json("out/summary.json")), 1.5, 1e-4);
  const std::string fitted = read("out/fitted.yaml");
  EXPECT_TRUE(contains(fitted, "a: \"2*5\"")) << fitted;
  EXPECT_FALSE(contains(fitted, "c: 3")) << fitted;
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "again"}).code, 0);
  const TrajectoryReader written(path("out/trajectory.h5")), again(path("again/trajectory.h5"));
  EXPECT_EQ(written.state(5).x, again.state(5).x);
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
    // Two records of one parameter: 24 bytes of header and 72 each.
    ASSERT_TRUE(program.wait_until([&] {
      std::error_code none;
      return exists("killed/evaluations.bin") &&
             std::filesystem::file_size(path("killed/evaluations.bin"), none) >= 168;
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

const std::vector<std::string> kOptimizers = {"lbfgsb", "lbfgs", "gradient_descent", "adam"};

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

// At rest nothing is to be solved; any force takes Newton's method more than one iteration.
const char* const kKick =
    "gravity: [0, 0, 0]\n"
    "forward: {type: newton, max_iterations: 1}\n"
    "forces: {kick: {type: nodal_force, force: [0, 0, 0]}}\n"
    "losses: [{loss: {type: linear_functional, positions: [1, 2, 3]}}]\n";

// Of the forces only the tiniest ones are within the tolerance after one iteration.
TEST_F(OptimizeTest, FailedEvaluationsNameTheirParametersAndAreSteppedBackFrom) {
  write("kick.yaml", tiny_scene() + kKick +
                         "parameters: [{path: forces.kick.force, lower: -1e3, upper: 1e3, start: [0]}]\n");
  const ProgramResult r = run({"optimize", "kick.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_TRUE(contains(r.err, "the optimizer steps back")) << r.err;
  EXPECT_TRUE(contains(r.err, "evaluation 2 (forces.kick.force = 3 values in [")) << r.err;
  EXPECT_TRUE(contains(r.err, "did not converge")) << r.err;
  EXPECT_TRUE(contains(r.out, "NOT CONVERGED: no point along the search direction can be evaluated"))
      << r.out;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("status").text, "not_converged");
  EXPECT_GT(v.at("failed_evaluations").number, 10);
  EXPECT_LT(v.at("failed_evaluations").number, v.at("evaluations").number - 1);
  EXPECT_LT(v.at("loss").number, v.at("first_loss").number);
  EXPECT_TRUE(contains(read("out/loss.csv"), "\n2,nan,nan,6,5\n")) << read("out/loss.csv");
}

TEST_F(OptimizeTest, AFailureAtTheStartEndsTheJob) {
  write("kick.yaml", tiny_scene() + kKick +
                         "parameters: [{path: forces.kick.force, lower: -1e3, upper: 1e3, start: [9]}]\n");
  const ProgramResult r = run({"optimize", "kick.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(contains(r.err, "evaluation 1 (forces.kick.force = 3 values in [")) << r.err;
  EXPECT_TRUE(contains(r.err, "did not converge")) << r.err;
  EXPECT_EQ(json("out/summary.json").at("status").text, "failed");
}

// Moving the right end of the rest shape inwards lowers the loss until the elements there are inverted.
TEST_F(OptimizeTest, EveryOptimizerStepsBackFromInvertedRestShapes) {
  write(
      "shape.yaml",
      "name: shape\ntime: {step: 0.01, steps: 3}\ngravity: [0, 0, 0]\n"
      "bodies:\n  bar:\n    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}\n"
      "    materials: [{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}]\n"
      "    rest_shape: {}\n"
      "parameters: [{path: bodies.bar.rest_shape.displacements, lower: -1, upper: 1, start: [0]}]\n"
      "losses: [{loss: {type: reach_target, nodes: {box: {min: [0.2, 0, 0], max: [0.2, 0.1, 0.1]}}, target: "
      "[-0.3, 0.05, 0.05]}}]\n");
  for (const std::string& type : kOptimizers) {
    const std::string step = type == "adam" ? ", step: 0.05" : type == "lbfgsb" ? "" : ", first_step: 0.4";
    std::vector<std::string> line = {
        "optimize",    "shape.yaml", "-o",
        "out_" + type, "--set",      "optimizer={type: " + type + ", max_iterations: 12" + step + "}"};
    const ProgramResult r = run(line);
    EXPECT_EQ(r.code, 0) << type << r.out << r.err;
    EXPECT_TRUE(contains(r.err, "the optimizer steps back")) << type << r.err;
    EXPECT_TRUE(contains(r.out, "evaluations failed, from which the optimizer stepped back"))
        << type << r.out;
    const JsonValue v = json("out_" + type + "/summary.json");
    EXPECT_GT(v.at("failed_evaluations").number, 0) << type;
    EXPECT_LT(v.at("loss").number, 0.9 * v.at("first_loss").number) << type;
    // Failures are recorded, and gone over without simulating.
    line.emplace_back("--resume");
    const std::string recorded = read("out_" + type + "/evaluations.bin");
    ASSERT_EQ(run(line).code, 0) << type;
    EXPECT_EQ(read("out_" + type + "/evaluations.bin"), recorded) << type;
    const JsonValue again = json("out_" + type + "/summary.json");
    EXPECT_EQ(again.at("failed_evaluations").number, v.at("failed_evaluations").number) << type;
    EXPECT_EQ(again.at("loss").number, v.at("loss").number) << type;
  }
}

TEST_F(OptimizeTest, StartedAtTheOptimumItSaysSo) {
  write("tiny.yaml", tiny_task());
  for (const std::string& type : kOptimizers) {
    const ProgramResult r = run({"optimize", "tiny.yaml", "-o", "out", "--set", "parameters[0].start=[1e5]",
                                 "--set", "optimizer={type: " + type + ", max_iterations: 20}"});
    EXPECT_EQ(r.code, 0) << type << r.out << r.err;
    EXPECT_TRUE(contains(r.out, "already at a stationary point")) << type << r.out;
    const JsonValue v = json("out/summary.json");
    EXPECT_EQ(v.at("status").text, "already_stationary") << type;
    EXPECT_NEAR(found(v), 1e5, 1e-6) << type;
    EXPECT_TRUE(v.at("without_influence").items.empty()) << type;
  }
}

TEST_F(OptimizeTest, ALossThatTheParametersDoNotMoveIsNoSuccess) {
  // A force on what is pinned.
  const std::string idle =
      "forces: {push: {type: nodal_force, force: [0, 0, 1], nodes: {box: {min: [0, 0, 0], max: [0, 0.1, "
      "0.1]}}}}\n";
  const std::string push = "{path: forces.push.force, lower: -5, upper: 5, start: [1]}";
  write("idle.yaml", tiny_scene() + idle + "parameters: [" + push + "]\n" +
                         "losses: [{loss: {type: linear_functional, positions: [1, 2, 3]}}]\n");
  for (const std::string& type : kOptimizers) {
    const ProgramResult r =
        run({"optimize", "idle.yaml", "-o", "out", "--set", "optimizer={type: " + type + "}"});
    EXPECT_EQ(r.code, 1) << type << r.out;
    EXPECT_TRUE(contains(r.err, "the loss does not depend on forces.push.force")) << type << r.err;
    EXPECT_EQ(json("out/summary.json").at("status").text, "no_influence") << type;
    EXPECT_EQ(json("out/summary.json").at("parameters").at(0).at("found").at(0).number, 1) << type;
  }
  write("half.yaml",
        tiny_scene() + idle +
            "parameters:\n  - {path: 'bodies.beam.materials[*].youngs_modulus', lower: 1e4, upper: 1e6, "
            "scale: log, start: [4e4]}\n  - " +
            push + "\nlosses: [{loss: {type: match_trajectory}}]\n");
  const ProgramResult r = run({"optimize", "half.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 0) << r.err;
  const JsonValue v = json("out/summary.json");
  EXPECT_NEAR(found(v), 1e5, 10);
  ASSERT_EQ(v.at("without_influence").items.size(), 1u);
  EXPECT_EQ(v.at("without_influence").at(0).text, "forces.push.force");
  EXPECT_TRUE(contains(r.out, "the loss does not depend on forces.push.force")) << r.out;
}

TEST_F(OptimizeTest, AMaximumIsNoResult) {
  write("top.yaml",
        tiny_scene() +
            "gravity: [0, 0, 0]\n"
            "parameters: [{path: bodies.beam.initial.velocity, lower: -1, upper: 1, start: [0]}]\n"
            "losses: [{loss: {type: kinetic_energy}, weight: -1}]\n");
  const ProgramResult r = run({"optimize", "top.yaml", "-o", "out"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(contains(r.err, "the loss is lower elsewhere")) << r.err;
  EXPECT_EQ(json("out/summary.json").at("status").text, "no_minimum");
}

TEST_F(OptimizeTest, EveryOptimizerGoesOnFromItsEvaluations) {
  write("tiny.yaml", tiny_task());
  std::map<std::string, std::string> optimizers;
  for (const std::string& type : kOptimizers) optimizers[type] = "{type: " + type + ", max_iterations: 8}";
  for (const std::string type : {"cma_es", "one_plus_one_es"})
    optimizers[type] = "{type: " + type + ", max_iterations: 8}";
  optimizers["chain"] =
      "{type: chain, optimizers: [{type: cma_es, max_iterations: 2}, {type: lbfgsb, max_iterations: 3}]}";
  optimizers["multi_start"] =
      "{type: multi_start, starts: 3, candidates: 5, optimizer: {type: lbfgsb, max_iterations: 3}}";
  for (const auto& [type, optimizer] : optimizers) {
    const std::vector<std::string> line = {"optimize",    "tiny.yaml", "-o",
                                           "out_" + type, "--set",     "optimizer=" + optimizer};
    const std::string file = path("out_" + type + "/evaluations.bin");
    ASSERT_EQ(run(line).code, 0) << type;
    const std::string whole = read("out_" + type + "/evaluations.bin");
    ASSERT_GT(whole.size(), 24u + 4 * 72u) << type;
    const JsonValue before = json("out_" + type + "/summary.json");
    std::filesystem::resize_file(file, 24 + 3 * 72 + 7);  // torn in the fourth
    std::vector<std::string> again = line;
    again.emplace_back("--resume");
    ASSERT_EQ(run(again).code, 0) << type;
    EXPECT_EQ(read("out_" + type + "/evaluations.bin"), whole) << type;
    const JsonValue after = json("out_" + type + "/summary.json");
    for (const char* key : {"loss", "evaluations", "iterations", "forward_steps", "backward_steps"})
      EXPECT_EQ(after.at(key).number, before.at(key).number) << type << " " << key;
    EXPECT_EQ(after.at("note").text, before.at("note").text);
  }
}

TEST_F(OptimizeTest, SeveralSeedsAreComparedAndTheBestIsWritten) {
  write("seeds.yaml", tiny_scene() +
                          "parameters: [{path: 'bodies.beam.materials[*].youngs_modulus', lower: 1e4, upper: "
                          "1e6, scale: log}]\n"
                          "losses: [{loss: {type: match_trajectory}}]\n"
                          "optimizer: {type: lbfgsb, max_evaluations: 5}\n"
                          "seeds: [3, 8, 1]\n");
  const ProgramResult r = run({"optimize", "seeds.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.err;
  const JsonValue v = json("out/summary.json");
  ASSERT_EQ(v.at("starts").items.size(), 3u);
  double best = 1e300, best_seed = -1;
  for (const JsonValue& s : v.at("starts").items) {
    if (s.at("loss").number < best) {
      best = s.at("loss").number;
      best_seed = s.at("seed").number;
    }
    const std::string seed = std::to_string(static_cast<int>(s.at("seed").number));
    EXPECT_TRUE(exists("out/evaluations_seed_" + seed + ".bin"));
    EXPECT_TRUE(exists("out/loss_seed_" + seed + ".csv"));
    EXPECT_EQ(json("out/checkpoint_seed_" + seed + ".json").at("best").at("loss").number,
              s.at("loss").number);
  }
  EXPECT_EQ(v.at("starts").at(0).at("seed").number, 3);
  EXPECT_NE(v.at("starts").at(0).at("parameters").at(0).at("start").at(0).number,
            v.at("starts").at(1).at("parameters").at(0).at("start").at(0).number);
  EXPECT_EQ(v.at("best_seed").number, best_seed);
  EXPECT_EQ(v.at("loss").number, best);
  EXPECT_TRUE(contains(r.out, std::to_string(static_cast<int>(best_seed)) + " *")) << r.out;

  // As if it had been killed in the second.
  std::filesystem::remove(path("out/evaluations_seed_1.bin"));
  std::filesystem::resize_file(path("out/evaluations_seed_8.bin"), 24 + 2 * 48);
  ASSERT_EQ(run({"optimize", "seeds.yaml", "-o", "out", "--resume"}).code, 0);
  const JsonValue again = json("out/summary.json");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(again.at("starts").at(i).at("loss").number, v.at("starts").at(i).at("loss").number) << i;
}

TEST_F(OptimizeTest, SeveralStartsOfOneSeedAreComparedAndTheBestIsWritten) {
  write("starts.yaml",
        tiny_scene() +
            "parameters: [{path: 'bodies.beam.materials[*].youngs_modulus', lower: 1e4, upper: "
            "1e6, scale: log}]\n"
            "losses: [{loss: {type: match_trajectory}}]\n"
            "optimizer: {type: lbfgsb, max_evaluations: 4}\n"
            "seed: 5\nstarts: 3\n");
  const ProgramResult r = run({"optimize", "starts.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.err;
  const JsonValue v = json("out/summary.json");
  ASSERT_EQ(v.at("starts").items.size(), 3u);
  double best = 1e300, best_start = -1;
  std::set<double> drawn;
  for (std::size_t i = 0; i < 3; ++i) {
    const JsonValue& s = v.at("starts").at(i);
    EXPECT_EQ(s.at("seed").number, 5);
    EXPECT_EQ(s.at("start").number, static_cast<double>(i + 1));
    const double start = s.at("parameters").at(0).at("start").at(0).number;
    EXPECT_TRUE(start > 1e4 && start < 1e6) << start;
    drawn.insert(start);
    if (s.at("loss").number < best) best = s.at("loss").number, best_start = s.at("start").number;
    const std::string suffix = "_start_" + std::to_string(i + 1);
    EXPECT_TRUE(exists("out/evaluations" + suffix + ".bin"));
    EXPECT_EQ(json("out/checkpoint" + suffix + ".json").at("best").at("loss").number, s.at("loss").number);
  }
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_EQ(v.at("best_seed").number, 5);
  EXPECT_EQ(v.at("best_start").number, best_start);
  EXPECT_EQ(v.at("loss").number, best);
  EXPECT_TRUE(contains(r.out, "start " + std::to_string(static_cast<int>(best_start)) + " *")) << r.out;

  // Of two seeds each has its starts; the first one of the seed is the start of the seed alone.
  ASSERT_EQ(run({"optimize", "starts.yaml", "-o", "both", "--set", "seeds=[5, 6]", "--set", "starts=2"}).code,
            0);
  const JsonValue both = json("both/summary.json");
  ASSERT_EQ(both.at("starts").items.size(), 4u);
  EXPECT_TRUE(exists("both/loss_seed_6_start_2.csv"));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(both.at("starts").at(i).at("parameters").at(0).at("start").at(0).number,
              v.at("starts").at(i).at("parameters").at(0).at("start").at(0).number);
}

TEST_F(OptimizeTest, StartsNeedSomethingToDrawAndBounds) {
  write("tiny.yaml", tiny_task());
  const ProgramResult same = run({"optimize", "tiny.yaml", "--set", "starts=2"});
  EXPECT_EQ(same.code, 2);
  EXPECT_TRUE(contains(same.err, "starts: every parameter has a start")) << same.err;
  const ProgramResult none = run({"optimize", "tiny.yaml", "--set", "starts=0"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.err, "starts")) << none.err;
  write("free.yaml", tiny_scene() +
                         "parameters: [{path: bodies.beam.initial.velocity, lower: -1}]\nstarts: 4\n"
                         "losses: [{loss: {type: match_trajectory}}]\n");
  const ProgramResult free = run({"optimize", "free.yaml"});
  EXPECT_EQ(free.code, 2);
  EXPECT_TRUE(
      contains(free.err, "bodies.beam.initial.velocity: a random start needs a lower and an upper bound"))
      << free.err;
  EXPECT_FALSE(exists("results"));
}

TEST_F(OptimizeTest, TheSummarySaysWhatTheBackwardSolverChose) {
  write("tiny.yaml", tiny_task());
  ASSERT_EQ(run({"optimize", "tiny.yaml", "--set", "backward=auto", "--set",
                 "optimizer={type: lbfgsb, max_evaluations: 3}"})
                .code,
            0);
  const JsonValue v = json("results/tiny/summary.json");
  double gradients = 0;
  for (const char* type : {"pd_krylov", "pd_lbfgs", "pd_fixed_point", "direct"})
    if (v.at("backward_choices").has(type)) gradients += v.at("backward_choices").at(type).number;
  EXPECT_EQ(gradients, 3);
}

TEST_F(OptimizeTest, ParametersPerElementAreFoundAndWritten) {
  write("field.yaml",
        tiny_scene() +
            "parameters: [{path: 'bodies.beam.materials[*].youngs_modulus', per: element, lower: "
            "1e4, upper: 1e6, scale: log, start: [4e4]}]\n"
            "losses: [{loss: {type: match_trajectory}}]\n"
            "optimizer: {type: lbfgsb, max_iterations: 3}\n");
  const ProgramResult r = run({"optimize", "field.yaml", "-o", "out"});
  ASSERT_EQ(r.code, 0) << r.err;
  const JsonValue v = json("out/summary.json");
  EXPECT_EQ(v.at("parameters").at(0).at("found").items.size(), 2u);
  EXPECT_LT(v.at("loss").number, v.at("first_loss").number);
  ASSERT_EQ(run({"run", "out/fitted.yaml", "-o", "again"}).code, 0);
  const auto last = [&](const std::string& file) {
    const TrajectoryReader frames(path(file));
    return frames.state(frames.num_frames() - 1).x;
  };
  EXPECT_EQ(last("out/trajectory.h5"), last("again/trajectory.h5"));
}

TEST_F(OptimizeTest, SeedsNeedSomethingToDraw) {
  write("tiny.yaml", tiny_task());
  const ProgramResult same = run({"optimize", "tiny.yaml", "--set", "seeds=[1, 2]"});
  EXPECT_EQ(same.code, 2);
  EXPECT_TRUE(contains(same.err, "all seeds begin at the same point")) << same.err;
  const ProgramResult twice = run({"optimize", "tiny.yaml", "--set", "seeds=[1, 1]"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_TRUE(contains(twice.err, "seeds: a seed is listed twice")) << twice.err;
  EXPECT_FALSE(exists("results"));
}

}  // namespace
}  // namespace resilin

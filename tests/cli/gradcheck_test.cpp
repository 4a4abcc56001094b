#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class GradcheckTest : public CliTest {};

TEST_F(GradcheckTest, PassesForEveryParameterOfATinyTask) {
  write("tiny.yaml", tiny_task(3));
  // Away from the optimum, where all derivatives vanish.
  const ProgramResult r = run({"gradcheck", "tiny.yaml", "--coordinates", "1", "--directions", "1", "--json",
                               "--set", "losses=[{loss: {type: linear_functional, positions: [1, 2, 3]}}]"});
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = JsonReader::read(r.out);
  EXPECT_EQ(v.at("status").text, "passed");
  EXPECT_LE(v.at("worst_error").number, v.at("tolerance").number);
  bool has_stiffness = false, has_gravity = false;
  for (const JsonValue& row : v.at("rows").items) {
    EXPECT_TRUE(row.at("passed").flag);
    has_stiffness = has_stiffness || row.at("path").text == "bodies.beam.materials[0].youngs_modulus";
    has_gravity = has_gravity || row.at("path").text == "gravity";
  }
  EXPECT_TRUE(has_stiffness && has_gravity);
  EXPECT_FALSE(exists("results"));
}

TEST_F(GradcheckTest, FailsOverTheTolerance) {
  write("tiny.yaml", tiny_task(3));
  // Loose solves, and a check that leaves them so.
  const ProgramResult r =
      run({"gradcheck", "tiny.yaml", "--parameter", "gravity", "--tolerance", "1e-9", "--scene-tolerances",
           "--set", "forward={type: newton, relative_tolerance: 1e-2}", "--set",
           "losses=[{loss: {type: linear_functional, positions: [1, 2, 3]}}]"});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_TRUE(contains(r.out, "FAILED")) << r.out;
  EXPECT_TRUE(contains(r.out, "worst relative error")) << r.out;
}

TEST_F(GradcheckTest, TheSolversOfTheSceneAreTightened) {
  write("tiny.yaml", tiny_task(3));
  const std::vector<std::string> line = {"gradcheck",
                                         "tiny.yaml",
                                         "--parameter",
                                         "gravity",
                                         "--json",
                                         "--set",
                                         "forward={type: newton, relative_tolerance: 1e-2}",
                                         "--set",
                                         "losses=[{loss: {type: linear_functional, positions: [1, 2, 3]}}]"};
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = line;
    all.insert(all.end(), more.begin(), more.end());
    return JsonReader::read(run(all).out).at("worst_error").number;
  };
  EXPECT_LT(error({}), 1e-6);
  EXPECT_GT(error({"--scene-tolerances"}), 1e-6);
}

TEST_F(GradcheckTest, SaysWhatTheBackwardSolverChose) {
  write("tiny.yaml", tiny_task(3));
  std::vector<std::string> line = {
      "gradcheck",   "tiny.yaml",
      "--parameter", "gravity",
      "--set",       "backward=auto",
      "--set",       "losses=[{loss: {type: linear_functional, positions: [1, 2, 3]}}]"};
  const ProgramResult text = run(line);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "backward: ") && contains(text.out, " for 1 gradient")) << text.out;
  line.emplace_back("--json");
  EXPECT_EQ(JsonReader::read(run(line).out).at("backward_choices").members.size(), 1U);
}

TEST_F(GradcheckTest, NeedsALoss) {
  write("tiny.yaml", tiny_scene());
  const ProgramResult r = run({"gradcheck", "tiny.yaml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "a gradient check needs a loss: losses: [{loss: {type: ...}}] (known: "))
      << r.err;
  EXPECT_TRUE(contains(r.err, "linear_functional")) << r.err;
}

TEST_F(GradcheckTest, AnUnknownParameterHasAHint) {
  write("tiny.yaml", tiny_task(2));
  const ProgramResult r = run({"gradcheck", "tiny.yaml", "--parameter", "gravitty"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "did you mean 'gravity'?")) << r.err;
}

}  // namespace
}  // namespace resilin

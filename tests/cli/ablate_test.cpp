// resilin ablate: the table of a study, what it refuses, and how it ends.
#include "tests/cli/program.hpp"

#include <algorithm>
#include <cstdio>
#include <gmock/gmock.h>

namespace resilin {
namespace {

using testing::HasSubstr;

class AblateTest : public CliTest {
 protected:
  /// Runs a study of a small task.
  ProgramResult ablate(const std::string& study) const {
    write("tiny.yaml", tiny_scene(3) + "losses: [{loss: {type: kinetic_energy}}]\n");
    write("study.yaml", "scenes:\n  bar: {file: tiny.yaml, set: {gravity: [0, 0, -5]}}\n" + study);
    return run({"ablate", "study.yaml", "-o", "out"});
  }
};

TEST_F(AblateTest, ComparesVariantsAtTheTolerancesOfTheSweep) {
  const ProgramResult r = ablate(R"(
title: Ways to solve a bar
variants:
  krylov: {set: {forward.type: pd_newton_krylov}}
  newton: {set: {forward.type: newton}}
sweep: {paths: [forward.relative_tolerance], values: [1e-1, 1e-3, 1e-9]}
reference: newton
reference_set: {forward.relative_tolerance: 1e-12}
equal_errors: [1e-2]
)");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("# Ways to solve a bar"));
  const std::string rows = read("out/rows.csv"), table = read("out/table.md");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 7) << "a heading, two variants, three values each";
  EXPECT_THAT(table, HasSubstr("| bar | krylov | 1e-9 | 1 |"));
  EXPECT_THAT(table, HasSubstr("at a relative error of 0.01"));
  for (const char* variant : {"krylov", "newton"}) {
    const std::string head = std::string("bar,") + variant + ",1e-9,1,";
    const auto at = rows.find(head);
    ASSERT_NE(at, std::string::npos) << rows;
    double loss = 0, loss_error = 1, gradient = 0, gradient_error = 1;
    ASSERT_EQ(std::sscanf(rows.c_str() + at + head.size(), "%lf,%lf,%lf,%lf", &loss, &loss_error, &gradient,
                          &gradient_error),
              4)
        << rows;
    EXPECT_GT(loss, 0);
    EXPECT_LT(loss_error, 1e-6);
    EXPECT_LT(gradient_error, 1e-6);
  }
}

TEST_F(AblateTest, TriesBackwardSolversWithRandomRightHandSides) {
  const ProgramResult r = ablate(R"(
variants:
  fixed_point: {set: {forward.type: newton, backward: {type: pd_fixed_point, max_iterations: 5000}}}
  hopeless: {set: {forward.type: newton, backward: {type: pd_fixed_point, max_iterations: 1, relative_tolerance: 1e-12}}}
gradient: false
random_adjoints: 7
)");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string table = read("out/table.md");
  EXPECT_THAT(table, HasSubstr("| 7 of 7 |"));
  EXPECT_THAT(table, HasSubstr("| 0 of 7 | 0 / 0 / 0 |"));
  const std::string rows = read("out/rows.csv");
  // The last columns: radii, systems, of these converged, median.
  const auto line = rows.substr(rows.find("bar,fixed_point"));
  std::vector<double> fields;
  std::string text = line.substr(0, line.find('\n'));
  for (int k = 0; k < 5; ++k, text.resize(text.rfind(',')))
    fields.push_back(std::stod(text.substr(text.rfind(',') + 1)));
  EXPECT_GT(fields[0], 1) << "median";
  EXPECT_EQ(fields[1], 7);
  EXPECT_EQ(fields[2], 7);
  EXPECT_GT(fields[3], 0) << "largest radius";
  EXPECT_LT(fields[3], 1);
  EXPECT_LE(fields[4], fields[3]);
  EXPECT_THAT(table, HasSubstr("100 %")) << "Newton's full steps from rest";
}

TEST_F(AblateTest, ARowThatCannotBeSimulatedSaysWhyAndTheOthersStay) {
  const ProgramResult r = ablate(R"(
variants:
  good: {}
  hopeless: {set: {forward.max_iterations: 1, forward.relative_tolerance: 1e-14}}
)");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(read("out/table.md"), HasSubstr("failed: "));
  EXPECT_THAT(read("out/table.md"), HasSubstr("| bar | good |"));
}

TEST_F(AblateTest, MistakesAreNamedBeforeAnythingIsSolved) {
  ProgramResult r = ablate("variants:\n  a: {set: {forward.tolerance: 1}}\n");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("relative_tolerance"));
  r = ablate("variants:\n  a: {}\nreference: b\n");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("reference must be the name of a variant"));
  r = ablate("variants:\n  a: {}\nrepeat: 3\n");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("repeats"));
  EXPECT_FALSE(exists("out/table.md"));
}

}  // namespace
}  // namespace resilin

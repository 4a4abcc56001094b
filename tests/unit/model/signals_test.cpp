// Fields that follow signals: values, gradients, and what is wrong with them.
#include "tests/support/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace resilin::test {
namespace {

/// A bar of four elements with two muscles in sectors of it, four steps of 0.01 s.
std::string bar(const std::string& signals, const std::string& activation, const std::string& more = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 4}}
signals: {}
bodies:
  b:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}}}
    regions:
      left: {{box: {{min: [0, 0, 0], max: [0.2, 0.1, 0.1]}}}}
      right: {{box: {{min: [0.2, 0, 0], max: [0.4, 0.1, 0.1]}}}}
    materials:
      - {{type: corotated, E: 1e5, nu: 0.3}}
      - {{type: muscle, stiffness: 5e4, fibre: [1, 0.1, 0], activation: {}}}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}, hold: rest}}]
{}
forward: {{relative_tolerance: 1e-12}}
backward: {{relative_tolerance: 1e-11}}
losses:
  - {{loss: {{type: linear_functional, of: center_of_mass, positions: [1, 0.3, 0.2]}}}}
  - {{loss: {{type: linear_functional, of: center_of_mass, positions: [0, 0, 0], velocities: [0.1, 0, -0.05], frames: [2, 4]}}}}
)",
                     signals, activation, more);
}

const std::string kTwoFollow = "{regions: {left: {signal: s}, right: {signal: s, scale: -1, offset: 2}}}";

class EverySignal : public ::testing::TestWithParam<std::string> {};

std::string sample(const std::string& type) {
  if (type == "sinusoid") return "{type: sinusoid, amplitude: 0.2, frequency: 20, phase: 0.3, offset: 0.9}";
  if (type == "key_frames") return "{type: key_frames, interval: 0.015, values: [0.9, 1.1, 0.8]}";
  if (type == "b_spline") return "{type: b_spline, interval: 0.02, values: [0.8, 1.1, 0.9, 1.2, 0.7]}";
  return "{type: " + type + "}";
}

TEST_P(EverySignal, HasTheGradientOfDifferences) {
  const auto task = make_task(bar("{s: " + sample(GetParam()) + "}", kTwoFollow));
  std::vector<std::string> paths;
  for (const ParameterEntry& e : task->simulation().system().parameters().entries()) {
    EXPECT_EQ(e.path.find("activation"), std::string::npos) << "what follows a signal is no parameter";
    if (e.path.rfind("signals.s.", 0) == 0) paths.push_back(e.path);
  }
  ASSERT_FALSE(paths.empty());
  expect_gradients(*task, paths, 8);
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySignal, ::testing::ValuesIn(registry().types("signal")));

/// The loss with the activations of both muscles given per step.
double loss_with(const std::function<double(double)>& s) {
  std::string left, right;
  for (int k = 0; k < 4; ++k) {
    left += fmt::format("{}{:.17g}", k ? ", " : "", s(0.01 * k));
    right += fmt::format("{}{:.17g}", k ? ", " : "", 2 - s(0.01 * k));
  }
  return make_task(bar("{}", "{regions: {left: {steps: [" + left + "]}, right: {steps: [" + right + "]}}}"))
      ->loss_of_table();
}
double loss_of(const std::string& signal) {
  return make_task(bar("{s: " + signal + "}", kTwoFollow))->loss_of_table();
}

TEST(Signals, AreTakenAtTheStartsOfTheSteps) {
  EXPECT_EQ(loss_of("{type: constant, value: 0.9}"), loss_with([](double) { return 0.9; }));
  EXPECT_NEAR(loss_of(sample("sinusoid")),
              loss_with([](double t) { return 0.9 + 0.2 * std::sin(40 * std::numbers::pi * t + 0.3); }),
              1e-13);
}

TEST(Signals, KeyFramesAreJoinedByLinesOrHeld) {
  EXPECT_NEAR(loss_of("{type: key_frames, interval: 0.02, values: [0.8, 1.2]}"),
              loss_with([](double t) { return t > 0.019 ? 1.2 : 0.8 + 20 * t; }), 1e-13);
  EXPECT_NEAR(loss_of("{type: key_frames, interval: 0.02, values: [0.8, 1.2], interpolation: held}"),
              loss_with([](double t) { return t > 0.019 ? 1.2 : 0.8; }), 1e-13);
  EXPECT_NEAR(loss_of("{type: key_frames, times: [0.01, 0.03], values: [0.8, 1.2]}"),
              loss_with([](double t) { return t > 0.029 ? 1.2 : std::max(0.8, 0.8 + 20 * (t - 0.01)); }),
              1e-13);
}

TEST(Signals, ABSplineRepeatsCubicPolynomials) {
  // On a uniform spline of interval T, control values ((k - 1) T)^2 - T^2/3 give t^2 exactly.
  const double interval = 0.02;
  std::string values;
  for (int k = 0; k < 6; ++k) {
    const double x = interval * (k - 1);
    values += fmt::format("{}{:.17g}", k ? ", " : "", 0.8 + 100 * (x * x - interval * interval / 3));
  }
  EXPECT_NEAR(loss_of("{type: b_spline, interval: 0.02, values: [" + values + "]}"),
              loss_with([](double t) { return 0.8 + 100 * t * t; }), 1e-13);
}

TEST(Signals, GradientIsTheSumOverAllThatFollow) {
  const std::string entry = "{steps: [0.9, 0.9, 0.9, 0.9]}";
  const auto followed = make_task(bar("{s: {type: constant, value: 0.9}}", kTwoFollow));
  const auto given =
      make_task(bar("{}", "{regions: {left: " + entry + ", right: {steps: [1.1, 1.1, 1.1, 1.1]}}}"));
  VecX g, all;
  followed->evaluate_table(g);
  given->evaluate_table(all);
  const ParameterEntry& value = *followed->simulation().system().parameters().find("signals.s.value").front();
  const ParameterEntry& a =
      *given->simulation().system().parameters().find("bodies.b.materials[1].activation").front();
  double expected = 0;
  for (Index step = 0; step < 4; ++step) expected += all[a.offset + 2 * step] - all[a.offset + 2 * step + 1];
  EXPECT_NEAR(g[value.offset], expected, 1e-12 * std::abs(expected));
}

TEST(Signals, DriveForcesAlongDirections) {
  const std::string force =
      "forces: {push: {type: nodal_force, force: {signal: f, scale: [2, 0, 1], offset: [0, 1, 0]}}}";
  const std::string given =
      "forces: {push: {type: nodal_force, force: {steps: [[0.6, 1, 0.3], [0.6, 1, 0.3], [1, 1, 0.5], [1, 1, "
      "0.5]]}}}";
  const std::string signal =
      "{f: {type: key_frames, interval: 0.02, values: [0.3, 0.5], interpolation: held}}";
  const auto task = make_task(bar(signal, "1", force));
  EXPECT_NEAR(task->loss_of_table(), make_task(bar("{}", "1", given))->loss_of_table(), 1e-13);
  expect_gradients(*task, {"signals.f.values"});
}

TEST(Signals, AreCheckedWithinTheRangeOfWhatFollows) {
  // Steps of more than 0.004 make the activation negative.
  const auto task =
      make_task(bar("{s: {type: constant, value: 2.004}}", "{signal: s, scale: -1, offset: 2.008}"));
  expect_gradients(*task, {"signals.s.value"});
}

TEST(Signals, AWrittenSceneReadsBack) {
  const std::string text = bar("{s: " + sample("sinusoid") + "}", kTwoFollow);
  const SceneFile scene = read_scene(text);
  EXPECT_EQ(read_scene(scene.resolved).resolved, scene.resolved);
  EXPECT_EQ(make_task(scene.resolved)->loss_of_table(), make_task(text)->loss_of_table());
}

std::string error_of(const std::string& text) {
  try {
    make_task(text);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Signals, MistakesAreNamed) {
  const std::string s = "{gait: {type: constant}}";
  EXPECT_THAT(error_of(bar(s, "{signal: gate}")), ::testing::HasSubstr("has no signal 'gate' (known: gait)"));
  EXPECT_THAT(error_of(bar(s, "{signal: gait, factor: 2}")), ::testing::HasSubstr("unknown key 'factor'"));
  EXPECT_THAT(error_of(bar(s, "{signal: gait, scale: -1}")),
              ::testing::HasSubstr("-1 in step 1, outside [0, 100]"));
  EXPECT_THAT(error_of(bar(s, "1", "    density: {signal: gait, scale: 100}")),
              ::testing::HasSubstr("density: does not change in time"));
  EXPECT_THAT(error_of(bar("{s: {type: key_frames, times: [0, 1], values: [1, 2, 3]}}", "1")),
              ::testing::HasSubstr("3 values given; expected one or 2"));
  EXPECT_THAT(error_of(bar("{s: {type: key_frames, times: [0, 1, 1], values: 1}}", "1")),
              ::testing::HasSubstr("time 3 (1 s) is not after the one before"));
  EXPECT_THAT(error_of(bar("{s: {type: b_spline, values: [1, 2, 3]}}", "1")),
              ::testing::HasSubstr("a cubic spline needs 4"));
  EXPECT_THAT(
      error_of(bar(s, "1",
                   "preload: {forces: {f: {type: nodal_force, force: {signal: gait, scale: [1, 0, 0]}}}}")),
      ::testing::HasSubstr("time stands still in a preload"));
}

TEST(Signals, AValueThatLeavesItsRangeChangesNothing) {
  const auto task = make_task(bar("{s: {type: constant, value: 0.5}}", kTwoFollow));
  System& system = task->simulation().system();
  const VecX before = system.parameters().values();
  const double loss = task->loss_of_table();
  VecX theta = before;
  theta[system.parameters().find("signals.s.value").front()->offset] = -0.5;
  EXPECT_THROW(system.set_parameters(theta), Error);
  EXPECT_EQ(system.parameters().values(), before);
  EXPECT_EQ(task->loss_of_table(), loss);
}

}  // namespace
}  // namespace resilin::test

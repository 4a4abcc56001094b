#include "core/optim/task.hpp"

#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <cmath>
#include <set>

namespace resilin::test {
namespace {

constexpr const char* kScene = R"(
time: {step: 0.01, steps: 3}
bodies:
  a:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
forward: {relative_tolerance: 1e-10}
losses: [{loss: {type: linear_functional, positions: [1, 2, 3], velocities: [0.01, 0, 0.02]}}]
)";
std::string scene(const std::string& parameters) {
  return kScene + ("parameters: [" + parameters + "]\n");
}
const char* const kBothModuli =
    "{path: 'bodies.a.materials[*].youngs_modulus', lower: 1e4, upper: 1e6, scale: log, start: [2e5]}";

std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    (void)make_task(yaml, overrides);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input) << e.what();
    return e.what();
  }
  return "no error";
}
void expect_error(const std::string& parameters, const std::string& part) {
  const std::string text = error_of(scene(parameters));
  EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(text.find("scene.yaml:"), std::string::npos) << "no place: " << text;
}

TEST(Task, ScalesBoundsAndStarts) {
  const auto task = make_task(
      scene(std::string(kBothModuli) + ", {path: gravity, lower: -20, upper: 5, start: [0, 1, -9]}"));
  ASSERT_EQ(task->size(), 4);
  ASSERT_EQ(task->variables().size(), 2u);
  EXPECT_EQ(task->variables()[0].entries.size(), 2u);
  EXPECT_EQ(task->variables()[0].truth[0], 1e5);
  EXPECT_EQ(task->variables()[0].unit, "Pa");
  EXPECT_DOUBLE_EQ(task->lower()[0], std::log(1e4));
  EXPECT_DOUBLE_EQ(task->upper()[0], std::log(1e6));
  EXPECT_DOUBLE_EQ(task->start()[0], std::log(2e5));
  EXPECT_EQ(task->lower()[2], -20);
  EXPECT_EQ(VecX(task->start().tail(3)), VecX(Vec3(0, 1, -9)));
  const double low = task->values(task->lower(), task->variables()[0])[0];
  const double high = task->values(task->upper(), task->variables()[0])[0];
  EXPECT_GE(low, 1e4) << "a rounding below the bound";
  EXPECT_LE(high, 1e6) << "a rounding above the bound";
  EXPECT_NEAR(low, 1e4, 1e-9);
  EXPECT_NEAR(high, 1e6, 1e-7);
}

TEST(Task, ApplyWritesAllMatchesOfAPattern) {
  const auto task = make_task(scene(kBothModuli));
  task->apply(VecX::Constant(1, std::log(3e5)));
  const System& s = task->simulation().system();
  for (const ParameterEntry* e : s.parameters().find("bodies.a.materials[*].youngs_modulus"))
    EXPECT_NEAR(e->values[0], 3e5, 1e-9);
  EXPECT_NEAR(s.parameters().find("bodies.a.materials[0].poissons_ratio").front()->values[0], 0.4, 0);
}

TEST(Task, GradientAgreesWithDifferencesInTheScaledVariables) {
  const auto task =
      make_task(scene(std::string(kBothModuli) + ", {path: gravity, lower: -20, upper: 5, start: [-3]}"));
  const VecX u = task->start();
  VecX g(4);
  const double loss = task->evaluate(u, g);
  EXPECT_NEAR(task->value(u), loss, 1e-13 * std::abs(loss));
  for (Index i = 0; i < 4; ++i)
    EXPECT_LT(difference_gap([&](double s) { return task->value(u + s * VecX::Unit(4, i)); }, g[i], 0.05,
                             1e-3 * g.norm()),
              1e-6)
        << i;
}

TEST(Task, CountsTheStepsOfTheSceneHoweverTheyAreSolved) {
  // Little memory repeats steps on the way back; that does not count.
  for (const std::vector<std::string>& overrides : std::vector<std::vector<std::string>>{
           {}, {"memory={budget: 0.01, checkpoints: binomial}", "time.steps=30"}}) {
    const auto task = make_task(scene(kBothModuli), overrides);
    const Index steps = task->simulation().num_steps();
    VecX g(1);
    const double loss = task->evaluate(task->start(), g);
    EXPECT_EQ(task->last_steps.forward, steps);
    EXPECT_EQ(task->last_steps.backward, steps);
    EXPECT_EQ(task->value(task->start()), loss);
    EXPECT_EQ(task->last_steps.forward, steps);
    EXPECT_EQ(task->last_steps.backward, 0);
  }
}

TEST(Task, StepsOfAReferenceAreNotCountedAndThoseBeforeAFailureAre) {
  const auto task = make_task(scene(kBothModuli), {"losses=[{loss: {type: match_trajectory}}]"});
  (void)task->value(task->start());
  EXPECT_EQ(task->last_steps.forward, 3);
  const auto failing =
      make_task(scene(kBothModuli), {"forward={type: newton, max_iterations: 1, relative_tolerance: 1e-14}"});
  EXPECT_THROW((void)failing->value(failing->start()), Error);
  EXPECT_EQ(failing->last_steps.forward, 1) << "the step that failed";
}

TEST(Task, LossIsTheWeightedSum) {
  const auto one = make_task(kScene), twice = make_task(kScene, {"losses[0].weight=2.5"});
  const double a = one->loss_of_table(), b = twice->loss_of_table();
  EXPECT_NEAR(b, 2.5 * a, 1e-12 * std::abs(b));
  VecX ga, gb;
  one->evaluate_table(ga);
  twice->evaluate_table(gb);
  EXPECT_LT(relative_error(gb, 2.5 * ga), 1e-9);
}

TEST(Task, TheReferenceIsTheSceneAsItIsWritten) {
  const auto task = make_task(scene(kBothModuli), {"losses=[{loss: {type: match_trajectory}}]"});
  VecX g(1);
  EXPECT_EQ(task->evaluate(VecX::Constant(1, std::log(1e5)), g),
            task->value(VecX::Constant(1, std::log(1e5))));
  EXPECT_LT(task->value(VecX::Constant(1, std::log(1e5))), 1e-16);
  EXPECT_GT(task->evaluate(task->start(), g), 1e-9);
  EXPECT_GT(std::abs(g[0]), 0);
}

TEST(Task, RandomStartsAreWithinBoundsAndDrawnFromTheSeed) {
  const std::string parameters =
      "{path: 'bodies.a.materials[0].youngs_modulus', lower: 1e3, upper: 1e7, scale: log}, {path: "
      "bodies.a.initial.velocities, lower: -1, upper: 2}";
  const auto start = [&](int seed) {
    return make_task(scene(parameters), {"seed=" + std::to_string(seed)})->start();
  };
  const VecX a = start(3), again = start(3), b = start(4);
  EXPECT_EQ(a, again);
  EXPECT_NE(a, b);
  ASSERT_EQ(a.size(), 37);
  EXPECT_GE(a[0], std::log(1e3));
  EXPECT_LE(a[0], std::log(1e7));
  EXPECT_GE(a.tail(36).minCoeff(), -1);
  EXPECT_LE(a.tail(36).maxCoeff(), 2);
  EXPECT_NEAR(a.tail(36).mean(), 0.5, 0.5);
  EXPECT_GT(a.tail(36).maxCoeff() - a.tail(36).minCoeff(), 1.5);
  double sum = 0;  // uniform in the logarithm
  for (int seed = 0; seed < 40; ++seed) sum += start(seed)[0];
  EXPECT_NEAR(sum / 40, std::log(1e5), 1.5);
}

TEST(Task, AVectorHasABoundForEachEntry) {
  const SceneFile s = read_scene(scene("{path: gravity, lower: [-1, 2, -10], upper: [1, 3, -9]}"));
  const Task task(s.options, registry(), s.places);
  EXPECT_EQ(task.lower(), Vec3(-1, 2, -10));
  EXPECT_EQ(task.upper(), Vec3(1, 3, -9));
  EXPECT_TRUE(((task.start() - task.lower()).array() >= 0).all() &&
              ((task.upper() - task.start()).array() >= 0).all());
  const auto error = [](const std::string& parameter) -> std::string {
    try {
      const SceneFile wrong = read_scene(scene(parameter));
      const Task made(wrong.options, registry(), wrong.places);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(error("{path: gravity, lower: [-1, 2], upper: 3}").find("2 numbers given; the parameter has 3"),
            std::string::npos);
  EXPECT_NE(error("{path: gravity, lower: [-1, 4, -1], upper: 3}").find("lower must be less than upper"),
            std::string::npos);
}

TEST(Task, StartsOfASeedDifferAndCoverTheBounds) {
  const SceneFile s =
      read_scene(scene("{path: 'bodies.a.materials[0].youngs_modulus', lower: 1e3, upper: 1e7, scale: log}, "
                       "{path: gravity, lower: "
                       "-1, upper: 2}"));
  std::set<double> drawn;
  double sum = 0, sum_log = 0;
  constexpr Index kStarts = 40;
  for (Index start = 1; start <= kStarts; ++start) {
    const Task task(s.options, registry(), s.places, start);
    const VecX u = task.start();
    EXPECT_TRUE(((u - task.lower()).array() >= 0).all() && ((task.upper() - u).array() >= 0).all());
    drawn.insert(u[0]);
    sum_log += u[0];
    sum += u.tail(3).mean();
  }
  EXPECT_EQ(drawn.size(), static_cast<std::size_t>(kStarts));
  // Standard deviations of the means: ln(1e4)/sqrt(12 * 40) = 0.42 and 3/sqrt(12 * 120) = 0.08.
  EXPECT_NEAR(sum_log / kStarts, std::log(1e5), 3 * 0.42);
  EXPECT_NEAR(sum / kStarts, 0.5, 3 * 0.08);
  EXPECT_EQ(Task(s.options, registry(), s.places, 1).start(), Task(s.options, registry(), s.places).start());
  EXPECT_EQ(Task(s.options, registry(), s.places, 7).start(),
            Task(s.options, registry(), s.places, 7).start());
}

// Two materials and the density, one of the materials on half of the elements only.
constexpr const char* kFields = R"(
time: {step: 0.01, steps: 3}
bodies:
  a:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    regions: {left: {box: {min: [0, 0, 0], max: [0.2, 0.1, 0.1]}}}
    materials:
      - {type: stable_neo_hookean, E: 1e5, nu: 0.3}
      - {type: muscle, stiffness: 2e4, activation: {steps: [0.9, 0.8, 0.95]}, elements: {box: {min: [0, 0, 0], max: [0.2, 0.1, 0.1]}}}
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
forces: {push: {type: nodal_force, force: [0.1, 0, 0]}}
forward: {type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0}
backward: {type: direct, relative_tolerance: 1e-12}
losses: [{loss: {type: linear_functional, positions: [1, 2, 3], velocities: [0.01, 0, 0.02]}}]
)";
std::string per_element(const std::string& path) {
  const char* bounds = path.ends_with("ratio")        ? "lower: 0.01, upper: 0.45, start: [0.3]"
                       : path.ends_with("activation") ? "lower: 0.1, upper: 10, start: [0.8]"
                                                      : "lower: 0.01, upper: 1e7, start: [0.8]";
  return kFields + ("parameters: [{path: '" + path + "', per: element, " + bounds + "}]\n");
}

TEST(TaskPerElement, AConstantBecomesOneValuePerElementOfItsMaterial) {
  for (const auto& [path, size] : std::map<std::string, Index>{{"bodies.a.materials[0].youngs_modulus", 4},
                                                               {"bodies.a.materials[1].stiffness", 2},
                                                               {"bodies.a.materials[1].activation", 2 * 3},
                                                               {"bodies.a.density", 4}}) {
    const auto task = make_task(per_element(path)), given = make_task(kFields);
    ASSERT_EQ(task->size(), size) << path;
    // As it is written it is the same simulation, the gradient the sum of the parts.
    VecX parts, whole;
    const double loss = task->evaluate_table(parts);
    EXPECT_NEAR(loss, given->evaluate_table(whole), 1e-12 * std::abs(loss)) << path;
    const ParameterTable &a = task->simulation().system().parameters(),
                         &b = given->simulation().system().parameters();
    const ParameterEntry &pa = *a.find(path).front(), &pb = *b.find(path).front();
    ASSERT_EQ(pa.size, size);
    const Index items = size / pb.size;
    for (Index step = 0; step < pb.size; ++step)
      EXPECT_NEAR(parts.segment(pa.offset + step * items, items).sum(), whole[pb.offset + step],
                  1e-9 * whole.segment(pb.offset, pb.size).norm())
          << path;
    EXPECT_TRUE((task->variables()[0].truth.array() > 0).all());
  }
}

TEST(TaskPerElement, PassesTheGradientCheck) {
  for (const char* path : {"bodies.a.materials[0].youngs_modulus", "bodies.a.materials[0].poissons_ratio",
                           "bodies.a.materials[1].activation", "bodies.a.density"}) {
    const auto task = make_task(per_element(path));
    // Away from equal values.
    const TaskVariable& v = task->variables()[0];
    VecX u = v.truth;
    for (Index i = 0; i < u.size(); ++i) u[i] *= 1 + 0.1 * static_cast<double>(i % 3);
    task->apply(u);
    EXPECT_GE(expect_gradients(*task, {path}, 4), 4) << path;
  }
}

TEST(TaskPerElement, APatternSpreadsEveryMatch) {
  const auto task = make_task(scene(
      "{path: 'bodies.a.materials[*].youngs_modulus', per: element, lower: 1e4, upper: 1e6, scale: log}"));
  EXPECT_EQ(task->size(), 2);
  EXPECT_EQ(task->variables()[0].entries.size(), 2u);
  EXPECT_NE(task->start()[0], task->start()[1]) << "each element draws its own start";
}

TEST(TaskPerElement, SaysWhatCannotVaryByElement) {
  const auto expect = [](const std::string& yaml, const std::vector<std::string>& overrides,
                         const char* part) {
    const std::string text = error_of(yaml, overrides);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(per_element("bodies.a.density"), {"parameters[0].per=elemnt"}, "parameters[0].per");
  expect(per_element("bodies.a.density"), {"parameters[0].per=elemnt"}, "element");
  expect(per_element("forces.push.force"), {},
         "parameters[0].per: forces.push.force is no value of elements");
  expect(per_element("bodies.a.density"), {"bodies.a.density={regions: {left: 900}, default: 1000}"},
         "bodies.a.density: is given per region");
  expect(per_element("bodies.a.density"), {"bodies.a.mass=uniform"}, "uniform mass needs one density");
  expect(per_element("bodies.a.densty"), {}, "no differentiable parameter");
}

TEST(TaskMistakes, AreNamedAtTheirPlaces) {
  expect_error("{path: bodies.a.youngs_modulus, lower: 1, upper: 2}",
               "parameters[0].path: no differentiable parameter");
  expect_error("{path: 'bodies.a.materials[0].poissons_ratio', lower: 0.1, upper: 0.5}",
               "parameters[0].upper: 0.5 is outside the range (-1, 0.5)");
  expect_error("{path: bodies.a.density, lower: -1, upper: 10, start: [1]}",
               "parameters[0].lower: -1 is outside");
  expect_error("{path: bodies.a.density, upper: 10, start: [1]}",
               "bodies.a.density needs a lower and an upper bound inside its range (0, 1000000000)");
  expect_error("{path: bodies.a.density, lower: 10, upper: 20, start: [30]}",
               "30 is outside the bounds [10, 20]");
  expect_error("{path: gravity, lower: -1, upper: 1, start: [1, 1]}", "2 numbers given; the parameter has 3");
  expect_error("{path: gravity}", "gravity: a random start needs a lower and an upper bound");
  expect_error("{path: gravity, start: [0]}, {path: gravity, start: [0]}",
               "parameters[1].path: gravity is already a parameter");
}

TEST(TaskMistakes, SeveralThatStayEqualHaveToBeEqual) {
  const std::string yaml = scene(kBothModuli);
  EXPECT_NE(
      error_of(yaml, {"bodies.a.materials[1].E=2e5"}).find("differ in the scene: they cannot stay equal"),
      std::string::npos);
  EXPECT_NE(error_of(yaml, {"bodies.a.materials[1].E=[1e5, 1e5]"}).find("they cannot stay equal"),
            std::string::npos);
}

TEST(TaskMistakes, ATaskNeedsALossAndIsToldWhichThereAre) {
  const std::string text = error_of(kScene, {"losses=[]"});
  EXPECT_NE(text.find("a task needs at least one loss"), std::string::npos) << text;
  for (const std::string& type : registry().types("loss"))
    EXPECT_NE(text.find(type), std::string::npos) << text;
}

}  // namespace
}  // namespace resilin::test

// The controllers and sensors of plugins/controllers against what their headers say.
#include "core/control/controller.hpp"
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::test {
namespace {

constexpr char kBody[] = R"(
time: {step: 0.01, steps: 2}
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    materials: [{type: corotated}, {type: muscle, activation: 1}]
)";

std::unique_ptr<Simulation> with(const std::string& sensors, const std::string& law) {
  return make_simulation(std::string(kBody) + "controllers:\n  swim:\n    sensors: " + sensors +
                         "\n    law: " + law +
                         "\n    drives: [{parameter: 'bodies.beam.materials[1].activation'}]\n");
}
std::string message_of(const std::string& sensors, const std::string& law) {
  try {
    with(sensors, law);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    return e.what();
  }
  return "accepted";
}

/// The network of the header, unit by unit.
std::vector<double> network(const std::vector<int>& widths, const std::vector<double>& weights,
                            std::vector<double> h, bool bounded, double lower, double upper) {
  std::size_t at = 0;
  for (std::size_t l = 1; l < widths.size(); ++l) {
    std::vector<double> next(static_cast<std::size_t>(widths[l]));
    for (double& unit : next)
      for (const double input : h) unit += weights[at++] * input;
    for (double& unit : next) unit += weights[at++];
    if (l + 1 < widths.size() || bounded)
      for (double& unit : next) unit = std::tanh(unit);
    h = next;
  }
  EXPECT_EQ(at, weights.size());
  for (double& y : h) y = lower + (upper - lower) * (y + 1) / 2;
  return h;
}

TEST(Mlp, IsTheNetworkOfItsWeightsUnitByUnit) {
  for (const bool bounded : {true, false}) {
    const std::vector<int> widths{3, 5, 4, 2};
    ComponentSpec spec;
    spec.type = "mlp";
    spec.options = registry().make_options("controller", "mlp");
    Diagnostics found;
    PlaceMap places;
    read_options(
        parse_tree(fmt::format("{{hidden: [5, 4], bounded: {}, lower: 0.5, upper: 1.25}}", bounded), "mlp"),
        [&](ParamVisitor& v) { spec.options->visit(v); }, registry(), found, places);
    found.throw_if_any();
    const auto mlp = registry().make<Controller>(spec, {});
    mlp->attach(3, 2);
    ASSERT_EQ(mlp->num_parameters(), 5 * 4 + 4 * 6 + 2 * 5);
    ParameterTable table;
    table.add("law", [&](ParamVisitor& v) { mlp->visit_parameters(v); });
    const VecX w = 0.5 * random_vector(table.size(), 1), s = random_vector(3, 2);
    table.assign(w);
    VecX y(2);
    mlp->evaluate(s, y);
    const auto expected = network(widths, {w.begin(), w.end()}, {s.begin(), s.end()}, bounded, 0.5, 1.25);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(y[k], expected[static_cast<std::size_t>(k)], 1e-14);
  }
}

TEST(Mlp, DrawsTheSameWeightsFromASeedWithinGlorotsBounds) {
  const auto weights = [](int seed) {
    const auto sim = with("[{type: clock}]", fmt::format("{{type: mlp, hidden: [30], seed: {}, lower: 0.5, "
                                                         "upper: 1.5, last_gain: 0.1}}",
                                                         seed));
    const ParameterEntry& e = *sim->system().parameters().find("controllers.swim.law.weights").front();
    return VecX(Eigen::Map<const VecX>(e.values, e.size));
  };
  const VecX a = weights(1);
  EXPECT_EQ(a, weights(1));
  EXPECT_NE(a, weights(2));
  ASSERT_EQ(a.size(), 30 * 3 + 31);
  const double first = std::sqrt(6.0 / 32), last = 0.1 * std::sqrt(6.0 / 31);
  const VecX w1 = a.head(60), w2 = a.segment(90, 30);
  EXPECT_LE(w1.cwiseAbs().maxCoeff(), first);
  EXPECT_GT(w1.cwiseAbs().maxCoeff(), 0.9 * first);
  EXPECT_LE(w2.cwiseAbs().maxCoeff(), last);
  EXPECT_GT(w2.cwiseAbs().maxCoeff(), 0.8 * last);
  EXPECT_TRUE(a.segment(60, 30).isZero(0));
  EXPECT_EQ(a[120], 0);
  // Uniform: the variance is a third of the bound squared; 60 samples know it to about 12 percent.
  EXPECT_NEAR(w1.squaredNorm() / 60, first * first / 3, 0.4 * first * first / 3);
}

TEST(Affine, IsAMatrixRowByRowAndABias) {
  const auto sim = with("[{type: centroid_motion}]", "{type: affine, weights: [2, -1, 3, 0.5]}");
  State s = sim->system().initial_state();
  s.x += 0.01 * random_vector(s.x.size(), 4);
  Vec3 mean = Vec3::Zero();
  for (Index i = 0; i < s.x.size() / 3; ++i)
    mean += 3.0 * s.x.segment<3>(3 * i) / static_cast<double>(s.x.size());
  ASSERT_EQ(sim->system().num_controls(), 1);
  EXPECT_NEAR(sim->system().controls(s)[0], 2 * mean.x() - mean.y() + 3 * mean.z() + 0.5, 1e-14);
}

TEST(Controllers, TakeTheirWeightsFromAFile) {
  const TestFolder folder;
  const std::string file = folder.write("w.csv", "2\n-1\n3\n0.5\n");
  const auto a = with("[{type: centroid_motion}]", "{type: affine, weights: {file: " + file + "}}"),
             b = with("[{type: centroid_motion}]", "{type: affine, weights: [2, -1, 3, 0.5]}");
  EXPECT_EQ(a->system().parameters().values(), b->system().parameters().values());
}

TEST(Sensors, SeeWhatTheyAreAskedFor) {
  const auto sim = with(
      "[{type: centroid_motion, axes: [z, x], nodes: {indices: [0, 5]}, scale: 2}, {type: vertex_motion, "
      "quantity: velocity, axes: y, nodes: {indices: [3, 7]}}, {type: vertex_motion, relative: false, axes: "
      "x, "
      "nodes: {indices: [2]}, scale: -1}, {type: clock, period: 4, scale: 0.5}]",
      "{type: affine}");
  State s = sim->system().initial_state();
  s.x += 0.01 * random_vector(s.x.size(), 4);
  s.v = random_vector(s.x.size(), 5);
  s.t = 0.5;
  const ControlLoop& loop = *sim->system().control_loops().front();
  const VecX seen = loop.sense(s);
  double vy = 0;
  const Index n = s.x.size() / 3;
  for (Index i = 0; i < n; ++i) vy += s.v[3 * i + 1] / static_cast<double>(n);
  VecX expected(7);
  expected << s.x[2] + s.x[17], s.x[0] + s.x[15], s.v[10] - vy, s.v[22] - vy, -s.x[6],
      0.5 * std::sin(M_PI / 4), 0.5 * std::cos(M_PI / 4);
  EXPECT_LT((seen - expected).norm(), 1e-14);
}

TEST(Controllers, RefuseWhatDoesNotFitInOneSentence) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find("scene.yaml:"), std::string::npos) << text;
  };
  has(message_of("[{type: clock}]", "{type: mlp, inputs: 3}"), "made for 3 inputs, but the sensors give 2");
  has(message_of("[{type: clock}]", "{type: mlp, hidden: [4], weights: [1, 2]}"),
      "weights: 2 numbers given; layers of 2, 4, 1 units need 17");
  has(message_of("[{type: clock}]", "{type: affine, weights: [1, 2, 3, 4]}"),
      "weights: 4 numbers given; 2 inputs and 1 outputs need 3");
  has(message_of("[{type: clock}]", "{type: mlp, lower: 2, upper: 1}"), "upper must be above lower");
  has(message_of("[{type: centroid_motion, nodes: {indices: []}}]", "{type: afine}"),
      "did you mean 'affine'?");
  has(message_of("[{type: centroid_motion, nodes: {sphere: {center: [9, 0, 0], radius: 0.1}}}]",
                 "{type: affine}"),
      "matches no vertex");
  has(message_of("[{type: clock, period: 0}]", "{type: affine}"), "period");
}

std::string refusal(const std::string& drives, const std::string& materials, const std::string& more = "") {
  const std::string scene = R"(
time: {step: 0.01, steps: 2}
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    materials: )" + materials +
                            R"(
controllers:
  swim: {sensors: [{type: clock}], law: {type: affine}, drives: )" +
                            drives + "}\n" + more;
  try {
    if (more.empty())
      make_simulation(scene);
    else
      make_task(scene);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    return e.what();
  }
  return "accepted";
}

TEST(Drives, OnlyWhatMayChangeInTimeAndOnlyOnce) {
  const std::string solid = "[{type: corotated}, {type: muscle}]",
                    steps = "[{type: corotated}, {type: muscle, activation: {steps: [1, 1.1]}}]";
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(refusal("[{parameter: 'bodies.beam.materials[1].activation', offset: 1}]", solid), "accepted");
  has(refusal("[{parameter: 'bodies.beam.materials[1].stiffness'}]", solid), "cannot be driven");
  has(refusal("[{parameter: bodies.beam.density}]", solid), "cannot be driven");
  has(refusal("[{parameter: gravity}]", solid), "cannot be driven");
  has(refusal("[{parameter: 'bodies.beam.materials[1].activation'}]", steps), "cannot be driven");
  has(refusal("[{parameter: 'bodies.beam.materials[1].activaton'}]", solid), "did you mean");
  has(refusal("[{parameter: 'bodies.beam.materials[1].activation'}, {parameter: "
              "'bodies.beam.materials[1].activation'}]",
              solid),
      "already driven by controllers.swim");
  has(refusal("[{parameter: 'bodies.beam.materials[1].activation', output: 2}]", solid),
      "output 0 drives nothing");
  has(refusal("[]", solid), "has to drive a parameter");
  has(refusal("[{parameter: 'bodies.beam.materials[1].activation', offset: 1}]", solid,
              "parameters: [{path: 'bodies.beam.materials[1].activation', lower: 0.5, upper: 1.5}]\n"
              "losses: [{loss: linear_functional}]\n"),
      "is driven by controllers.swim");
}

TEST(Drives, EachNumberHasItsOutputOrSharesOne) {
  const auto sim = make_simulation(R"(
time: {step: 0.01, steps: 2}
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.2], cells: [4, 1, 2]}}
    regions:
      top: {box: {min: [0, 0, 0.1], max: [0.4, 0.1, 0.2]}}
      bottom: {box: {min: [0, 0, 0], max: [0.4, 0.1, 0.1]}}
    materials:
      - {type: corotated}
      - {type: muscle, activation: {regions: {top: 1, bottom: 1}}}
      - {type: muscle, activation: {regions: {top: 1, bottom: 1}}}
controllers:
  swim:
    sensors: [{type: clock}]
    law: {type: affine, weights: [0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.3]}
    drives:
      - {parameter: "bodies.beam.materials[1].activation", offset: 1}
      - {parameter: "bodies.beam.materials[2].activation[top]", output: 0, gain: -1, offset: 1}
      - {parameter: "bodies.beam.materials[2].activation[bottom]", gain: 2}
)");
  VecX expected(4);
  expected << 1.1, 1.2, 0.9, 0.6;
  EXPECT_LT((sim->system().controls(sim->system().initial_state()) - expected).norm(), 1e-15);
}

TEST(Drives, AValueOutsideTheRangeEndsTheStepByName) {
  const auto sim = with("[{type: clock}]", "{type: affine, weights: [-200, 0, 1]}");
  Tape tape;
  try {
    sim->run(tape, true);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_NE(std::string(e.what()).find(
                  "controllers.swim: at t = 0.01 s it gives bodies.beam.materials[1].activation = -11"),
              std::string::npos)
        << e.what();
  }
  EXPECT_EQ(tape.frames.size(), 2u) << "the steps before it are there";
}

}  // namespace
}  // namespace resilin::test

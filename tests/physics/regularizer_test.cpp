// The stiffness of each element of a bar with a soft and a stiff half, from the motion of a few of its
// vertices: what is known beforehand makes up for what is not seen.
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin::test {
namespace {

constexpr const char* kBar = R"(
time: {step: 0.01, steps: 8}
bodies:
  bar:
    mesh: {generator: {type: box, size: [0.8, 0.1, 0.1], cells: [8, 1, 1]}}
    materials: [{type: neo_hookean, E: [1e5, 1e5, 1e5, 1e5, 3e5, 3e5, 3e5, 3e5], nu: 0.3}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
    initial: {velocities: [0, 0, -1]}
forward: {type: newton, relative_tolerance: 1e-10}
backward: {type: direct}
parameters: [{path: 'bodies.bar.materials[0].youngs_modulus', lower: 2e4, upper: 2e6, scale: log, start: [2e5]}]
losses: [{weight: 1e4, loss: {type: match_trajectory}}]
)";
const std::string kMeasured = "{box: {min: [0.8, 0, 0], max: [0.8, 0.1, 0.1]}}";

/// The motion of the free end in two frames, measured to 0.05 mm: the loss of the distance to it.
std::string measured_motion() {
  const auto simulation = make_simulation(kBar);
  const Mesh& mesh = simulation->system().bodies()[0]->mesh;
  Tape tape;
  (void)simulation->run(tape, true);
  std::string targets;
  unsigned seed = 1;
  for (const std::size_t frame : {4U, 8U}) {
    std::string entries;
    for (Index i = 0; i < mesh.num_vertices(); ++i) {
      if (mesh.vertices(0, i) < 0.79) continue;
      const Vec3 x = tape.states[frame].x.segment<3>(3 * i) + 5e-5 * Vec3(random_vector(3, seed++));
      entries += fmt::format("{}[{}, {}, {}]", entries.empty() ? "" : ", ", x[0], x[1], x[2]);
    }
    targets += fmt::format("{}[{}]", targets.empty() ? "" : ", ", entries);
  }
  return "losses=[{weight: 1e4, loss: {type: reach_target, frames: [4, 8], nodes: " + kMeasured +
         ", target: {steps: [" + targets + "]}}}]";
}

struct Fit {
  double error = 0;  ///< root mean square of the logarithm of found over true stiffness
  double loss = 0, first_loss = 0;
  VecX found;
};

Fit fit(const std::string& regularizer) {
  std::vector<std::string> overrides = {measured_motion()};
  if (!regularizer.empty()) overrides.push_back("parameters[0].regularizer=" + regularizer);
  const auto task = make_task(kBar, overrides);
  VecX u = task->start(), gradient(task->size());
  Fit f;
  f.first_loss = task->evaluate(u, gradient);
  const auto optimizer = make_component<Optimizer>("lbfgsb", {}, {{"max_iterations", 200}});
  f.loss = optimizer->minimize(*task, task->lower(), task->upper(), u).loss;
  f.found = task->values(u, task->variables()[0]);
  double sum = 0;
  for (Index i = 0; i < f.found.size(); ++i)
    sum += std::pow(std::log(f.found[i] / task->variables()[0].truth[i]), 2);
  f.error = std::sqrt(sum / static_cast<double>(f.found.size()));
  return f;
}

TEST(Regularizers, TotalVariationRecoversATwoStiffnessBarBetter) {
  const Fit plain = fit(""), jumps = fit("{type: total_variation, weight: 1e-3, smoothing: 0.01}");
  EXPECT_LT(plain.loss, 0.1 * plain.first_loss);
  EXPECT_LT(jumps.loss, 0.1 * jumps.first_loss);
  EXPECT_LT(jumps.error, 0.5 * plain.error)
      << jumps.found.transpose() << "\nwithout: " << plain.found.transpose();
  EXPECT_LT(jumps.error, 0.1);
}

TEST(Regularizers, TikhonovKeepsWhatTheMotionDoesNotTellNearTheReference) {
  const Fit plain = fit(""), near = fit("{type: tikhonov, weight: 1e-3, reference: 1.7e5}");
  EXPECT_LT(near.error, 0.8 * plain.error)
      << near.found.transpose() << "\nwithout: " << plain.found.transpose();
}

TEST(Regularizers, TheirGradientIsPartOfTheTasks) {
  const auto task =
      make_task(kBar, {"parameters[0].regularizer={type: total_variation, weight: 1, smoothing: 0.1}"});
  const VecX u = task->start() + 0.3 * random_vector(task->size(), 4);
  VecX gradient(task->size());
  const double loss = task->evaluate(u, gradient);
  EXPECT_NEAR(task->value(u), loss, 1e-12 * loss);
  const VecX p = random_vector(task->size(), 5).normalized();
  EXPECT_LT(difference_gap([&](double s) { return task->value(u + s * p); }, gradient.dot(p), 0.02, 1e-3),
            1e-6);
}

TEST(Regularizers, OneThatDoesNotFitTheParameterIsAMistake) {
  const auto error = [](const std::string& path, const std::string& regularizer) -> std::string {
    try {
      (void)make_task(kBar, {"parameters=[{path: " + path +
                             ", lower: -5, upper: 5, start: [1], regularizer: " + regularizer + "}]"});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Input);
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error("gravity", "{type: total_variation}").find("belongs to no body"), std::string::npos);
  EXPECT_NE(error("bodies.bar.initial.velocity", "{type: total_variation}")
                .find("needs a parameter with one value per element: this one has 3, the body 8 elements"),
            std::string::npos);
  EXPECT_NE(error("gravity", "{type: tikhonov, reference: [1, 2]}")
                .find("2 numbers in reference; expected one or 3"),
            std::string::npos);
}

}  // namespace
}  // namespace resilin::test

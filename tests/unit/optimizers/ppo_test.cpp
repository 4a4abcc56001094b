// Proximal policy optimisation: the episodes of a task against its losses and its gradient, and what it
// learns against what is to be learned.
#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "tests/unit/optimizers/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace resilin::test {
namespace {

MatX random_matrix(Index rows, Index cols, unsigned seed) {
  return random_vector(rows * cols, seed).reshaped(rows, cols);
}

/// A cell of edge 0.2 whose right side can move along x; a muscle pulls it, linear in its activation, under
/// an affine controller that sees place and speed of that side: a linear system.
std::string cell(const std::string& losses, const std::string& optimizer, const std::string& more = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 12}}
gravity: [0, 0, 0]
bodies:
  cell:
    mesh: {{generator: {{type: box, size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}}}
    density: 800
    materials: [{{type: muscle, stiffness: 5000}}]
    pins:
      - {{nodes: {{plane: {{point: [0, 0, 0], normal: [-1, 0, 0]}}}}}}
      - {{nodes: {{plane: {{point: [0.2, 0, 0], normal: [1, 0, 0]}}}}, axes: [y, z]}}
controllers:
  pd:
    sensors:
      - {{type: centroid_motion, axes: x, scale: 5, nodes: {{plane: {{point: [0.2, 0, 0], normal: [1, 0, 0]}}}}}}
      - {{type: centroid_motion, axes: x, quantity: velocity, nodes: {{plane: {{point: [0.2, 0, 0], normal: [1, 0, 0]}}}}}}
    law: {{type: affine, weights: [0, 0, 1.02]}}
    drives: [{{parameter: "bodies.cell.materials[0].activation"}}]
forward: {{type: newton, relative_tolerance: 1e-13}}
backward: {{type: direct, relative_tolerance: 1e-13}}
parameters: [{{path: controllers.pd.law.weights, lower: -1.5, upper: 1.5, from: scene}}]
losses:
{}
optimizer: {}
{})",
                     losses, optimizer, more);
}

constexpr char kLinear[] =
    "  - {loss: {type: linear_functional, of: centroid, positions: [100, 0, 0], velocities: [3, 0, 0]}}\n";
constexpr char kTrack[] =
    "  - {weight: 1e4, loss: {type: reach_target, of: centroid, axes: x, frames: [5, 6, 7, 8, 9, 10, 11, "
    "12], target: [0.11, 0, 0]}}\n";

TEST(Episodes, WithoutNoiseHaveTheBitsOfTheLossAndRewardsThatAddUpToIt) {
  // A sum over frames that has frame 0, one of the last frame, and one that is no sum over frames.
  const std::string losses = std::string(kLinear) +
                             "  - {weight: 0.5, loss: {type: kinetic_energy}}\n"
                             "  - {weight: 2, loss: {type: smooth_maximum, loss: {type: reach_target, of: "
                             "centroid, every: 1, target: [0.15, 0.1, 0.1]}}}\n"
                             "  - {loss: {type: reach_target, target: [0, 0, 0], frames: [0, 3]}}\n";
  const auto task = make_task(cell(losses, "ppo"));
  EpisodicObjective& episodes = *task->episodes();
  ASSERT_EQ(episodes.num_steps(), 12);
  ASSERT_EQ(episodes.num_inputs(), 2);
  ASSERT_EQ(episodes.num_outputs(), 1);
  const VecX u = task->start();
  const double loss = task->value(u);
  const Episode quiet = episodes.run(u, MatX::Zero(1, 12));
  EXPECT_EQ(quiet.loss, loss);
  EXPECT_EQ(task->last_steps.total(), 12);
  EXPECT_NEAR(quiet.rewards.sum(), -loss, 1e-13 * quiet.rewards.cwiseAbs().sum());
  EXPECT_EQ(quiet.outputs, MatX::Constant(1, 12, 1.02));
  const Episode loud = episodes.run(u, 0.05 * random_matrix(1, 12, 2));
  EXPECT_NEAR(loud.rewards.sum(), -loud.loss, 1e-13 * loud.rewards.cwiseAbs().sum());
  EXPECT_GT(std::abs(loud.loss - loss), 1e-3 * std::abs(loss));
  EXPECT_EQ(loud.observations.col(0), quiet.observations.col(0)) << "seen before the first output";
  EXPECT_NE(loud.observations.col(1), quiet.observations.col(1));
  EXPECT_EQ(task->value(u), loss) << "the noise has stayed";
}

TEST(Episodes, ALossOfTheLastFrameIsTheLastReward) {
  const auto task = make_task(cell(kLinear, "ppo"));
  const Episode e = task->episodes()->run(task->start(), 0.05 * random_matrix(1, 12, 2));
  EXPECT_TRUE(e.rewards.head(11).isZero(0));
  EXPECT_EQ(e.rewards[11], -e.loss);
}

TEST(Episodes, TheMeanAndItsDerivativeAreThoseOfTheController) {
  const auto task = make_task(cell(kTrack, "ppo"));
  EpisodicObjective& episodes = *task->episodes();
  const VecX u = Vec3(-0.4, 0.3, 1.1);
  const MatX noise = 0.02 * random_matrix(1, 12, 5);
  const Episode e = episodes.run(u, noise);
  MatX mean;
  episodes.outputs(u, e.observations, mean);
  EXPECT_EQ(MatX(mean + noise), e.outputs);
  const MatX z = random_matrix(1, 12, 6);
  VecX du = VecX::Zero(3);
  episodes.add_vjp(u, e.observations, z, du);
  VecX expected = VecX::Zero(3);
  for (Index k = 0; k < 12; ++k) expected += z(0, k) * Vec3(e.observations(0, k), e.observations(1, k), 1);
  EXPECT_LT((du - expected).norm(), 1e-14 * expected.norm());
}

// The mean over episodes of sum_k R_k d log pi(y_k)/du, R_k the rewards to come, is the gradient of the
// expected loss by the policy gradient theorem [Sutton et al. 2000]. System, policy and loss are linear, so
// the expected loss is the loss without noise, and its gradient that of the adjoint.
TEST(Episodes, TheMeanScoreFunctionEstimateIsTheGradient) {
  const auto task = make_task(cell(kLinear, "ppo"));
  const VecX u = Vec3(-0.4, 0.3, 1.5);
  VecX gradient(3);
  const double at_mean = task->evaluate(u, gradient);
  EpisodicObjective& episodes = *task->episodes();
  constexpr int kEpisodes = 2000;
  constexpr double kSigma = 0.02;
  Random random(7);
  VecX sum = VecX::Zero(3), squares = VecX::Zero(3);
  for (int i = 0; i < kEpisodes; ++i) {
    const MatX noise = kSigma * random.normals(12).reshaped(1, 12);
    const Episode e = episodes.run(u, noise);
    MatX z(1, 12);
    // The baseline, a constant, takes variance away and nothing else.
    double to_come = at_mean;
    for (Index k = 12; k-- > 0;) {
      to_come += e.rewards[k];
      z(0, k) = -to_come * noise(0, k) / (kSigma * kSigma);
    }
    VecX estimate = VecX::Zero(3);
    episodes.add_vjp(u, e.observations, z, estimate);
    sum += estimate;
    squares += estimate.cwiseAbs2();
  }
  const VecX mean = sum / kEpisodes;
  const VecX error = ((squares / kEpisodes - mean.cwiseAbs2()) / kEpisodes).cwiseSqrt();
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i], gradient[i], 4 * error[i]) << i;
    EXPECT_LT(4 * error[i], 0.3 * std::abs(gradient[i])) << "too rough to tell anything";
  }
}

std::unique_ptr<Optimizer> optimizer_of(const std::string& yaml) {
  const SceneFile file = read_scene(yaml);
  BuildContext context;
  context.registry = &registry();
  context.places = &file.places;
  context.path = "optimizer";
  context.place = file.options.optimizer.place;
  return registry().make<Optimizer>(file.options.optimizer, context);
}

constexpr char kPpo[] =
    "{type: ppo, episodes: 8, sigma: 0.1, step: 0.02, critic_step: 0.005, hidden: [16], max_iterations: 40, "
    "schedule: linear}";

OptimizerReport learn(const std::string& optimizer, VecX& u) {
  const auto task = make_task(cell(kTrack, optimizer));
  u = task->start();
  return optimizer_of(cell(kTrack, optimizer))->minimize(*task, task->lower(), task->upper(), u);
}

TEST(Ppo, LearnsNearlyAllThatTheGradientFinds) {
  VecX best, u;
  const double optimum = learn("{type: lbfgsb, max_iterations: 200}", best).loss;
  const auto task = make_task(cell(kTrack, kPpo));
  const double first = task->value(task->start());
  const OptimizerReport r = learn(kPpo, u);
  EXPECT_EQ(r.iterations, 40);
  EXPECT_EQ(r.evaluations, 41);
  EXPECT_EQ(r.loss, task->value(u)) << "not the best of the points that it tried";
  EXPECT_LT(optimum, 0.7 * first) << "nothing to learn";
  EXPECT_LT(r.loss - optimum, 0.05 * (first - optimum));
  EXPECT_GE(r.loss, optimum * (1 - 1e-9));
}

TEST(Ppo, GivesTheSameBitsForASeedAndAnyNumberOfThreads) {
  const std::string optimizer = "{type: ppo, max_iterations: 2, minibatch: 16, seed: ";
  VecX one, again, two, other;
  set_num_threads(1);
  (void)learn(optimizer + "1}", one);
  (void)learn(optimizer + "1}", again);
  set_num_threads(2);
  (void)learn(optimizer + "1}", two);
  set_num_threads(1);
  (void)learn(optimizer + "2}", other);
  EXPECT_EQ(one, again);
  EXPECT_EQ(one, two);
  EXPECT_NE(one, other);
  EXPECT_NE(one, VecX(Vec3(0, 0, 1.02)));
}

TEST(Ppo, KeepsToTheBoundsOfTheWeights) {
  std::string scene = cell(kTrack, kPpo);
  scene.replace(scene.find("upper: 1.5"), 10, "upper: 1.05");
  const auto task = make_task(scene);
  VecX u = task->start();
  const OptimizerReport r = optimizer_of(scene)->minimize(*task, task->lower(), task->upper(), u);
  EXPECT_GT(u.maxCoeff(), 1.02) << "it wants to go there";
  EXPECT_LE(u.maxCoeff(), 1.05);
  EXPECT_LT(r.loss, task->value(task->start()));
}

TEST(Ppo, EpisodesThatFailCountForNothingAndAreSaid) {
  // Muscles cannot be shorter than nothing: with so much noise few episodes keep away from that.
  VecX u;
  const OptimizerReport some =
      learn("{type: ppo, sigma: 0.45, episodes: 6, max_iterations: 3, step: 1e-6}", u);
  EXPECT_NE(some.note.find("of 18 episodes failed"), std::string::npos) << some.note;
  EXPECT_EQ(some.iterations, 3);
  const OptimizerReport all = learn("{type: ppo, sigma: 100, episodes: 3}", u);
  EXPECT_FALSE(all.converged);
  EXPECT_NE(all.note.find("no episode of an iteration can be simulated"), std::string::npos) << all.note;
  EXPECT_NE(all.note.find("controllers.pd: at t = "), std::string::npos) << all.note;
  EXPECT_EQ(u, VecX(Vec3(0, 0, 1.02)));
}

/// Passes a task on until so many runs of it are spent.
class Limited final : public Objective, private EpisodicObjective {
 public:
  Limited(Task& task, int runs) : task_(task), episodes_(*task.episodes()), left_(runs) {}
  Index size() const override { return task_.size(); }
  double evaluate(ConstVec, MutVec) override { throw Error(Errc::Internal, "asked for a gradient"); }
  double value(ConstVec u) override {
    spend();
    values.push_back(task_.value(u));
    return values.back();
  }
  EpisodicObjective* episodes() override { return this; }
  std::vector<double> values;
  std::function<void()> on_run;

 private:
  void spend() {
    if (on_run) on_run();
    if (left_-- == 0) throw BudgetSpent("the money is gone");
  }
  Index num_steps() const override { return episodes_.num_steps(); }
  Index num_inputs() const override { return episodes_.num_inputs(); }
  Index num_outputs() const override { return episodes_.num_outputs(); }
  Episode run(ConstVec u, const MatX& noise) override {
    spend();
    return episodes_.run(u, noise);
  }
  void outputs(ConstVec u, const MatX& s, MatX& y) override { episodes_.outputs(u, s, y); }
  void add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) override {
    episodes_.add_vjp(u, s, z, du);
  }

  Task& task_;
  EpisodicObjective& episodes_;
  int left_;
};

TEST(Ppo, EndsWithTheBestPolicyWhenTheBudgetIsSpentOrALimitIsReached) {
  const auto task = make_task(cell(kTrack, kPpo));
  const auto run = [&](int runs, const std::string& more, VecX& u, std::vector<double>* values = nullptr) {
    Limited f(*task, runs);
    u = task->start();
    const OptimizerReport r = optimizer_of(cell(kTrack, "{type: ppo, sigma: 0.1, step: 0.02" + more + "}"))
                                  ->minimize(f, task->lower(), task->upper(), u);
    if (values != nullptr) *values = f.values;
    EXPECT_FALSE(r.converged);
    return r;
  };
  VecX u;
  std::vector<double> values;
  for (const int runs : {1, 5, 9, 10, 40}) {  // eight episodes and the policy itself are an iteration
    const OptimizerReport r = run(runs, "", u, &values);
    EXPECT_EQ(r.note, "the money is gone");
    EXPECT_EQ(r.evaluations, 1 + (runs - 1) / 9);
    EXPECT_EQ(r.loss, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(r.loss, task->value(u));
  }
  EXPECT_THROW(run(0, "", u), BudgetSpent);
  EXPECT_EQ(run(1000, ", max_iterations: 2", u).note, "iteration limit");
  EXPECT_EQ(run(1000, ", max_evaluations: 3", u).note, "evaluation limit");
  EXPECT_EQ(run(1000, ", max_seconds: 0", u).note, "time limit");
}

TEST(Ppo, PassesOnWhatEpisodesThrow) {
  const auto task = make_task(cell(kTrack, kPpo));
  Limited f(*task, 1000);
  int count = 0;
  f.on_run = [&] {
    if (++count > 3) throw Error(Errc::Io, "the disk is full");
  };
  VecX u = task->start();
  try {
    (void)optimizer_of(cell(kTrack, kPpo))->minimize(f, task->lower(), task->upper(), u);
    ADD_FAILURE() << "the failure was swallowed";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "the disk is full");
  }
  EXPECT_EQ(count, 4);
}

std::string refusal(const std::string& scene) {
  try {
    const auto task = make_task(scene);
    VecX u = task->start();
    (void)optimizer_of(scene)->minimize(*task, task->lower(), task->upper(), u);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    EXPECT_NE(e.where().find("scene.yaml:"), std::string::npos) << e.where();
    return e.what();
  }
  return "accepted";
}

TEST(Ppo, RefusesWhatItCannotLearnInOneSentence) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  std::string bare = cell(kTrack, "{type: ppo}");
  const auto begin = bare.find("controllers:");
  bare.erase(begin, bare.find("forward:") - begin);
  bare.replace(bare.find("{path: controllers.pd.law.weights, lower: -1.5, upper: 1.5, from: scene}"), 72,
               "{path: bodies.cell.density, lower: 1, upper: 1e4, from: scene}");
  has(refusal(bare), "optimizer: ppo learns controllers by trial, but there are none");
  std::string mixed = cell(kTrack, "{type: ppo}");
  mixed.replace(mixed.find("from: scene}"), 12,
                "from: scene}, {path: bodies.cell.density, lower: 1, upper: 1e4, from: scene}");
  has(refusal(mixed), "parameters[1]: bodies.cell.density is no weight of a controller");
  std::string smooth = cell(kTrack, "{type: ppo}");
  smooth.replace(smooth.find("from: scene}"), 12, "from: scene, regularizer: {type: tikhonov}}");
  has(refusal(smooth), "parameters[0]: an optimizer that learns by trial sees losses of runs only");
  has(refusal(cell(kTrack, "{type: ppo, clip: 0}")), "clip");
  has(refusal(cell(kTrack, "{type: ppo, sigma: 0}")), "sigma");
  has(refusal(cell(kTrack, "{type: ppo, horizon: 3}")), "horizon");
}

}  // namespace
}  // namespace resilin::test

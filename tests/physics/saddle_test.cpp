// A step ends at a minimum of its energy; adjoints of nearly singular steps are named, and may be
// regularised.
#include "core/solve/curvature.hpp"
#include "tests/support/components.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace resilin::test {
namespace {

/// A strip of cloth that is pushed together along its plane: straight it is a saddle, for it may bend.
const char* const kStrip = R"(
time: {step: 0.02, steps: 4}
gravity: [0, 0, 0]
bodies:
  strip:
    mesh: {generator: {type: grid, size: [1, 0.2], cells: [10, 2]}}
    density: 0.1
    materials: [{type: membrane_arap, stiffness: 100}]
    pins:
      - {nodes: {box: {min: [-0.01, -1, -1], max: [0.01, 1, 1]}}}
      - {nodes: {box: {min: [0.99, -1, -1], max: [1.01, 1, 1]}},
         motion: {type: key_frames, times: [0, 0.08], offsets: [[0, 0, 0], [-0.1, 0, 0]]}}
energies:
  bending: {type: quadratic_bending, stiffness: 1e-4}
forward: {relative_tolerance: 1e-9}
)";

struct Rollout {
  std::unique_ptr<Simulation> sim;
  Tape tape;
  RolloutReport report;
  double height() const { return as_columns(tape.states.back().x).row(2).cwiseAbs().maxCoeff(); }
  /// Energy of the last step at its solution.
  double last_energy() const {
    const State &before = tape.states[tape.states.size() - 2], &after = tape.states.back();
    const double h = sim->time_step();
    const VecX y = before.x + h * before.v, gap = after.x - y;
    double g = 0;
    for (Index i = 0; i < sim->system().num_nodes(); ++i)
      g += 0.5 / (h * h) * sim->system().mass()[i] * gap.segment<3>(3 * i).squaredNorm();
    for (const auto& e : sim->system().energies())
      g += e->value(tape.records.back().context, after.x, sim->tools().workspace);
    return g;
  }
};
Rollout run(const std::vector<std::string>& overrides) {
  Rollout r{make_simulation(kStrip, overrides), {}, {}};
  r.report = r.sim->run(r.tape, true);
  return r;
}
/// The curvature of the energy at the end of the last step.
bool is_saddle(const Rollout& r) {
  const State &before = r.tape.states[r.tape.states.size() - 2], &after = r.tape.states.back();
  const StepTools t = r.sim->tools();
  const double h = r.sim->time_step();
  const VecX y = before.x + h * before.v;
  const StepProblem problem(t.system, t.linear, r.tape.records.back().context, 1 / (h * h), y, before.x,
                            t.workspace);
  return find_negative_curvature(problem, after.x).size() > 0;
}

TEST(Saddle, AStripThatIsPushedTogetherBucklesIfSaddlesAreLeft) {
  const Rollout straight = run({"forward.saddles=ignore"}), bent = run({"forward.saddles=always"});
  EXPECT_EQ(straight.report.saddles, 0);
  EXPECT_EQ(straight.height(), 0) << "nothing pushes it out of its plane";
  EXPECT_TRUE(is_saddle(straight));
  EXPECT_GT(bent.report.saddles, 0);
  EXPECT_GT(bent.height(), 0.01);
  EXPECT_FALSE(is_saddle(bent));
}

TEST(Saddle, TheWayDownLowersTheEnergyOfTheStep) {
  const Rollout straight = run({"forward.saddles=ignore", "time.steps=3"});
  // The same step from the same start, solved on to a minimum.
  const State &before = straight.tape.states[2], &after = straight.tape.states.back();
  const StepTools t = straight.sim->tools();
  const double h = straight.sim->time_step();
  const VecX y = before.x + h * before.v;
  const StepProblem problem(t.system, t.linear, straight.tape.records.back().context, 1 / (h * h), y,
                            before.x, t.workspace);
  VecX x = after.x;
  SolveReport report = straight.tape.records.back().report;
  report.met_negative_curvature = true;
  const double g = problem.value(x);
  leave_saddles(t.forward, problem, x, report);
  // forward.saddles is `ignore` here: it is left alone.
  EXPECT_EQ(report.saddles, 0);
  const Rollout other = run({"time.steps=3"});  // `leave`, whose solver is asked
  leave_saddles(other.sim->tools().forward, problem, x, report);
  EXPECT_GT(report.saddles, 0);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(problem.value(x), g - 1e-6);
  EXPECT_EQ(find_negative_curvature(problem, x).size(), 0);
}

TEST(Saddle, GradientsOfTheBentStripAreExact) {
  const auto sim =
      make_simulation(kStrip, {"forward.saddles=always", "forward.relative_tolerance=1e-13",
                               "forward.absolute_tolerance=0", "backward.relative_tolerance=1e-11"});
  System& s = sim->system();
  const VecX theta = s.parameters().values(), weights = random_vector(s.num_dofs(), 3);
  const auto loss = [&](const VecX& at) {
    s.set_parameters(at);
    Tape tape;
    sim->run(tape, true);
    return weights.dot(tape.states.back().x);
  };
  loss(theta);
  Tape tape;
  sim->run(tape, true);
  const VecX g = sim->gradient(tape, [&](Index k, Adjoint& a) {
    if (k == sim->num_steps()) a.x += weights;
  });
  const Index i = s.parameters().find("energies.bending.stiffness").front()->offset;
  double best = std::numeric_limits<double>::infinity();
  for (const double part : {1e-3, 1e-4, 1e-5}) {
    const double d = part * theta[i];
    VecX plus = theta, minus = theta;
    plus[i] += d, minus[i] -= d;
    best = std::min(best, std::abs((loss(plus) - loss(minus)) / (2 * d) - g[i]) / std::abs(g[i]));
  }
  EXPECT_LT(best, 1e-6);
}

TEST(Saddle, AdjointsThatGrowAreNamedAndMayBeRegularised) {
  // Straight, nothing but inertia keeps the strip from bending: the adjoint across its plane explodes.
  const auto growth = [&](const std::vector<std::string>& more) {
    std::vector<std::string> overrides = {"forward.saddles=ignore", "backward={type: direct}"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    const Rollout r = run(overrides);
    const VecX weights = random_vector(r.sim->system().num_dofs(), 5);
    BackwardReport report;
    const VecX g = r.sim->gradient(
        r.tape,
        [&](Index k, Adjoint& a) {
          if (k == r.sim->num_steps()) a.x += weights;
        },
        &report);
    return report;
  };
  const BackwardReport exact = growth({}), spd = growth({"adjoint.regularization=spd"}),
                       shifted = growth({"adjoint={regularization: shifted, shift: 20}"});
  EXPECT_GT(exact.worst_growth, 2 * spd.worst_growth);
  EXPECT_GT(exact.worst_growth, 2 * shifted.worst_growth);
  EXPECT_GE(exact.worst_growth_step, 2);
  EXPECT_EQ(growth({"adjoint.growth_warning=1e9"}).growing_steps, 0);
  EXPECT_GT(growth({"adjoint.growth_warning=1.01"}).growing_steps, 0);
}

}  // namespace
}  // namespace resilin::test

#include "core/solve/simulation.hpp"

#include "core/optim/gradcheck.hpp"
#include "tests/support/components.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

std::string beam(const std::string& rest) {
  return R"(
time: {step: 0.02, steps: 4}
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    materials: [{type: neo_hookean, E: 1e5, nu: 0.4}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
    initial: {velocity: [0, 0, -6]}
)" + rest;
}
std::string error_of(const Simulation& sim, Tape& tape) {
  try {
    (void)sim.run(tape, true);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    return e.what();
  }
  return "no error";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One Newton iteration is not enough for this motion; how many are, depends on the length of the step.
const char* const kTooFew = "forward: {type: newton, max_iterations: 3}\n";

TEST(Simulation, FallsFreelyAsImplicitEulerSays) {
  const auto sim = make_simulation(R"(
time: {step: 0.1, steps: 5}
gravity: [0, 1, -10]
bodies:
  a: {mesh: {generator: {type: box, cells: [1, 1, 1]}}, materials: [corotated], initial: {velocity: [3, 0, 0]}}
)");
  Tape tape;
  const RolloutReport r = sim->run(tape, true);
  EXPECT_EQ(r.steps, 5);
  EXPECT_EQ(r.not_converged, 0);
  ASSERT_EQ(tape.frames.size(), 6u);
  for (std::size_t k = 0; k <= 5; ++k) {
    const State& s = tape.states[k];
    const double t = 0.1 * double(k), sum = 0.01 * double(k * (k + 1)) / 2;  // h^2 (1 + ... + k)
    EXPECT_NEAR(s.t, t, 1e-15);
    const Mat3X moved = as_columns(s.x) - sim->system().bodies()[0]->mesh.vertices;
    EXPECT_LT((moved.colwise() - Vec3(3 * t, sum, -10 * sum)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((as_columns(s.v).colwise() - Vec3(3, t, -10 * t)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(Simulation, ARunIsRepeatedBitByBitAndDoesNotDependOnWhatIsKept) {
  const auto sim = make_simulation(beam(""));
  Tape first, second, last;
  (void)sim->run(first, true);
  (void)sim->run(second, true);
  (void)sim->run(last, false);
  EXPECT_EQ(first.states.back().x, second.states.back().x);
  EXPECT_EQ(first.states.back().x, last.states.back().x);
  EXPECT_EQ(first.states.size(), 5u);
  EXPECT_EQ(last.states.size(), 2u);
  EXPECT_EQ(last.states.front().x, first.states[3].x);
}

TEST(Simulation, TheObserverSeesEveryStepAndMayEndTheRun) {
  const auto sim = make_simulation(beam(""));
  std::vector<Index> seen;
  Tape tape;
  RolloutReport r = sim->run(tape, true, [&](Index step, const State& s, const SolveReport& report) {
    EXPECT_NEAR(s.t, 0.02 * double(step), 1e-15);
    EXPECT_TRUE(report.converged);
    seen.push_back(step);
    return true;
  });
  EXPECT_EQ(seen, (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(r.interrupted);
  r = sim->run(tape, true, [](Index step, const State&, const SolveReport&) { return step < 2; });
  EXPECT_TRUE(r.interrupted);
  EXPECT_EQ(r.steps, 2);
  r = sim->run(tape, true, [](Index, const State&, const SolveReport&) { return false; });
  EXPECT_EQ(r.steps, 0);
  EXPECT_TRUE(r.interrupted);
}

TEST(OnFailure, StopNamesStepResidualAndWhatToTry) {
  const auto sim = make_simulation(beam("forward: {type: newton, max_iterations: 1}\n"));
  Tape tape;
  const std::string text = error_of(*sim, tape);
  EXPECT_TRUE(contains(text, "step 1 (t = 0.02 s) did not converge after 1 iterations")) << text;
  EXPECT_TRUE(contains(text, "on_failure: halve_step")) << text;
  EXPECT_EQ(tape.states.size(), 1u) << "the step that failed is not on the tape";
  EXPECT_TRUE(tape.records.empty());
}

TEST(OnFailure, StopNamesBodyAndElementThatIsInverted) {
  const TestFolder folder;
  std::string rows;  // the box of beam() mirrored at its middle plane
  const Mesh mesh = make_box({0.4, 0.1, 0.1}, {4, 1, 1}, ElementType::Hex8);
  for (Index i = 0; i < mesh.num_vertices(); ++i)
    rows += fmt::format("{},{},{}\n", mesh.vertices(0, i), mesh.vertices(1, i), 0.1 - mesh.vertices(2, i));
  const std::string file = folder.write("mirrored.csv", rows);
  for (const char* policy : {"stop", "halve_step"}) {
    const auto sim = make_simulation(beam(std::string("on_failure: ") + policy + "\n"),
                                     {"bodies.beam.initial={positions: '" + file + "'}"});
    Tape tape;
    const std::string text = error_of(*sim, tape);
    EXPECT_TRUE(contains(text, "step 1 ")) << text;
    EXPECT_TRUE(contains(text, "body beam: element 0 is inverted")) << policy << ": " << text;
  }
}

TEST(OnFailure, WarnGoesOnAndCounts) {
  const auto sim = make_simulation(beam("forward: {type: newton, max_iterations: 1}\non_failure: warn\n"));
  Tape tape;
  const RolloutReport r = sim->run(tape, true);
  EXPECT_EQ(r.steps, 4);
  EXPECT_GT(r.not_converged, 0);
  EXPECT_GT(r.worst_residual_ratio, 1);
  EXPECT_EQ(tape.frames.size(), 5u);
}

TEST(OnFailure, HalveStepSplitsUntilItConverges) {
  const auto whole = make_simulation(beam(kTooFew));
  Tape tape;
  ASSERT_TRUE(contains(error_of(*whole, tape), "did not converge"));
  const auto sim = make_simulation(beam(std::string(kTooFew) + "on_failure: halve_step\n"));
  const RolloutReport r = sim->run(tape, true);
  EXPECT_GT(r.halvings, 0);
  EXPECT_EQ(r.not_converged, 0);
  ASSERT_EQ(tape.frames.size(), 5u);
  EXPECT_EQ(static_cast<Index>(tape.states.size()), 5 + r.halvings);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(tape.states[static_cast<std::size_t>(tape.frames[k])].t, 0.02 * double(k), 1e-14);
  double length = 0;
  for (const StepRecord& record : tape.records) {
    EXPECT_EQ(record.after, record.before + 1);
    length += record.context.time_step;
    EXPECT_NEAR(tape.states[static_cast<std::size_t>(record.after)].t, length, 1e-14);
  }
  EXPECT_NEAR(length, 0.08, 1e-14);
}

TEST(OnFailure, GradientsGoThroughHalvedSteps) {
  const auto task = make_task(beam(std::string(kTooFew) + "on_failure: halve_step\n" + R"(
losses: [{loss: {type: linear_functional, positions: [1, 2, 3]}}]
)"),
                              {"forward.relative_tolerance=1e-9", "forward.max_iterations=4"});
  VecX gradient;
  (void)task->evaluate_table(gradient);
  ASSERT_GT(task->last_rollout.halvings, 0);
  GradcheckOptions options;
  options.coordinates = 1;
  options.random_directions = 1;
  options.tolerance = 1e-5;
  options.paths = {"gravity", "bodies.beam.materials[0].youngs_modulus", "bodies.beam.initial.velocities"};
  const GradcheckReport report = check_gradient(*task, options);
  for (const GradcheckRow& row : report.rows)
    EXPECT_TRUE(row.passed) << row.path << " " << row.direction << ": " << row.adjoint << " "
                            << row.difference;
}

TEST(OnFailure, AnAdjointThatIsNotSolvedIsAnError) {
  const std::string losses = "backward: {type: pd_fixed_point, max_iterations: 1}\n";
  for (const char* policy : {"stop", "warn"}) {
    const auto sim = make_simulation(beam(losses + "on_failure: " + policy + "\n"));
    Tape tape;
    (void)sim->run(tape, true);
    BackwardReport report;
    const auto pull = [&] {
      return sim->gradient(
          tape,
          [](Index frame, Adjoint& a) {
            if (frame == 4) a.x.setOnes();
          },
          &report);
    };
    if (std::string(policy) == "stop") {
      try {
        (void)pull();
        ADD_FAILURE() << "no error";
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), Errc::Numerics);
        EXPECT_TRUE(contains(e.what(), "adjoint of step 4 not solved to tolerance")) << e.what();
      }
    } else {
      EXPECT_TRUE(pull().allFinite());
      EXPECT_EQ(report.not_converged, 4);
    }
  }
}

TEST(ForwardSolvers, ConvergeFarBelowTheRoundingOfTheEnergy) {
  // There, differences of the energy are noise: only slopes tell a good step from a bad one.
  for (const std::string& type : registry().types("forward_solver")) {
    const auto sim =
        make_simulation(beam("forward: {type: " + type + "}"),
                        {"forward.relative_tolerance=1e-12", "forward.absolute_tolerance=0",
                         "forward.max_iterations=2000", "bodies.beam.initial={velocity: [0.1, 0.2, 0.3]}"});
    Tape tape;
    RolloutReport r;
    ASSERT_NO_THROW(r = sim->run(tape, true)) << type;
    EXPECT_EQ(r.not_converged, 0) << type;
    EXPECT_LT(r.evaluations, 2 * r.iterations + 20) << type << " searches in the noise";
  }
}

TEST(Preload, StartsFromTheShapeUnderTheExtraForceAtRest) {
  const std::string preload = R"(
gravity: [0, 0, 0]
preload: {steps: 40, time_step: 1, forces: {pull: {type: nodal_force, force: [0, 0, 0.2]}}}
)";
  const auto sim =
      make_simulation(beam(preload), {"bodies.beam.initial={}", "forward.relative_tolerance=1e-10"});
  const State s = sim->system().initial_state();
  EXPECT_TRUE(s.v.isZero(0));
  EXPECT_EQ(s.t, 0);
  EXPECT_TRUE(sim->system().forces().empty()) << "the extra force acts before time zero only";
  // Nearly static: the elastic force balances the load at each free coordinate.
  VecX g = VecX::Zero(s.x.size());
  sim->system().energies()[0]->add_gradient({}, s.x, g, sim->workspace());
  double size = 0;
  for (Index i = 0; i < g.size(); ++i)
    if (!sim->system().fixed()[static_cast<std::size_t>(i)]) {
      EXPECT_NEAR(g[i], i % 3 == 2 ? 0.2 : 0.0, 1e-4);
      size = std::max(size, std::abs(s.x[i] - sim->system().bodies()[0]->mesh.vertices.reshaped()[i]));
    }
  EXPECT_GT(size, 1e-3);
}

TEST(Preload, KeepsTheVelocityIfAskedAndMovesPinsThatHoldTheInitialShape) {
  const std::string preload = R"(
gravity: [0, 0, -1]
preload: {steps: 3, keep_velocity: true}
)";
  const auto sim = make_simulation(beam(preload), {"bodies.beam.initial={}"});
  const auto plain = make_simulation(beam("gravity: [0, 0, -1]"), {"bodies.beam.initial={}", "time.steps=3"});
  Tape tape;
  (void)plain->run(tape, true);
  const State s = sim->system().initial_state();
  EXPECT_LT(relative_error(s.x, tape.states.back().x), 1e-12);
  EXPECT_LT(relative_error(s.v, tape.states.back().v), 1e-12);
  VecX placed = s.x;
  sim->system().place_pins(0, placed);
  EXPECT_EQ(placed, s.x);
}

TEST(Preload, AddsTheScenesOwnDisplacementsOnce) {
  const std::string preload = "preload: {steps: 2}\ngravity: [0, 0, -1]\n";
  const auto sim = make_simulation(beam(preload), {"bodies.beam.initial={displacements: [0, 0, 0.01]}"});
  const auto plain = make_simulation(beam("gravity: [0, 0, -1]"),
                                     {"bodies.beam.initial={displacements: [0, 0, 0.01]}", "time.steps=2"});
  Tape tape;
  (void)plain->run(tape, true);
  EXPECT_LT(relative_error(sim->system().initial_state().x, tape.states.back().x), 1e-12);
}

TEST(Simulation, GradientSumsTheSeedsOfAllFrames) {
  const auto sim = make_simulation(beam(""), {"backward={type: direct}"});
  Tape tape;
  (void)sim->run(tape, true);
  const VecX a = random_vector(sim->system().num_dofs(), 1);
  std::vector<Index> order;
  const auto pull = [&](std::vector<Index> frames) {
    order.clear();
    return sim->gradient(tape, [&, frames](Index frame, Adjoint& adjoint) {
      order.push_back(frame);
      if (std::find(frames.begin(), frames.end(), frame) != frames.end()) adjoint.x += a;
    });
  };
  const VecX both = pull({2, 4}), two = pull({2}), four = pull({4}), none = pull({});
  EXPECT_EQ(order, (std::vector<Index>{4, 3, 2, 1, 0}));
  EXPECT_GT(two.norm(), 0);
  EXPECT_LT((both - two - four).norm(), 1e-8 * both.norm());
  EXPECT_TRUE(none.isZero(0));
  // Frame 0 is the initial state: its displacements alone move it.
  const VecX zero = pull({0});
  const ParameterEntry& e = *sim->system().parameters().find("bodies.beam.initial.displacements").front();
  EXPECT_EQ(VecX(zero.segment(e.offset, e.size)), a);
}

TEST(Simulation, ElasticEnergyIsZeroAtRestAndPositiveElsewhere) {
  const auto sim = make_simulation(beam(""));
  Tape tape;
  (void)sim->run(tape, true);
  EXPECT_NEAR(sim->elastic_energy(tape.states.front(), 0), 0, 1e-12);
  EXPECT_GT(sim->elastic_energy(tape.states.back(), 4), 1e-6);
}

TEST(Simulation, APreloadLeavesPinnedNodesWhereTheyAre) {
  const auto simulation = make_simulation(R"(
time: {step: 0.01, steps: 2}
gravity: [0, 0, 0]
bodies:
  box:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.3}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
    initial: {displacements: [0.05, 0, 0]}
preload: {steps: 1}
)");
  Tape tape;
  simulation->run(tape, true);
  // Nothing acts on it: the displaced body rests, to the rounding of its positions.
  EXPECT_LT((tape.states.back().x - tape.states.front().x).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace resilin::test

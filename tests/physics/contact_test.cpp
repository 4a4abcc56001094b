// Contact that sticks: Signorini's conditions, momentum, gradients, and what happens in corners.
#include "tests/support/contact.hpp"

#include "core/solve/simulation.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A block of 3 x 2 x 2 elements that falls on what the overrides say.
const char* const kBlock = R"(
time: {step: 0.01, steps: 30}
bodies:
  block:
    mesh: {generator: {type: box, size: [0.3, 0.2, 0.2], cells: [3, 2, 2]}}
    density: 1000
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]
    initial: {translation: [0, 0, 0.04], angular_velocity: [0.4, 1, 0.2], velocity: [0.3, 0.1, -0.5]}
colliders:
  ground: {type: plane}
contacts: [{type: complementarity}]
forward: {relative_tolerance: 1e-10}
backward: {relative_tolerance: 1e-11}
)";

struct Rollout {
  std::unique_ptr<Simulation> sim;
  Tape tape;
};
Rollout run(const std::vector<std::string>& overrides = {}) {
  Rollout r{make_simulation(kBlock, overrides), {}};
  r.sim->run(r.tape, true);
  return r;
}
Index num_contacts(const Rollout& r) {
  Index n = 0;
  for (const StepRecord& s : r.tape.records) n += static_cast<Index>(s.contacts.size());
  return n;
}

TEST(Contact, SignorinisConditionsHoldAtTheEndOfEachStep) {
  for (const char* ground : {"colliders.ground={type: plane, rotation: [0.1, 0.2, 0]}",
                             "colliders.ground={type: sphere, position: [0.1, 0.1, -0.5], radius: 0.5}"}) {
    const Rollout r = run({ground});
    const Collider& c = *r.sim->system().colliders()[0];
    Index touched = 0, left = 0;
    for (const StepRecord& s : r.tape.records) {
      const State& after = r.tape.states[static_cast<std::size_t>(s.after)];
      std::vector<char> held(static_cast<std::size_t>(r.sim->system().num_nodes()), 0);
      for (const NodeContact& contact : s.contacts) {
        const SurfacePoint p = c.at(after.t, after.x.segment<3>(3 * contact.node));
        EXPECT_NEAR(p.distance, 0, 1e-14) << "in contact";
        EXPECT_GE(contact.impulse.dot(p.normal), -1e-10) << "pulled";
        held[static_cast<std::size_t>(contact.node)] = 1;
        ++touched;
      }
      for (Index i = 0; i < r.sim->system().num_nodes(); ++i)
        EXPECT_GT(c.at(after.t, after.x.segment<3>(3 * i)).distance, -1e-11) << "penetrates";
      left += s.contacts.empty() ? 1 : 0;
    }
    EXPECT_GT(touched, 20) << "too few contacts to tell";
    EXPECT_GT(left, 0);
  }
}

TEST(Contact, ImpulsesAreWhatChangesTheMomentum) {
  const Rollout r = run();
  const System& s = r.sim->system();
  const auto momentum = [&](const State& state) -> Vec3 { return as_columns(state.v) * s.mass(); };
  for (const StepRecord& step : r.tape.records) {
    Vec3 expected =
        momentum(r.tape.states[static_cast<std::size_t>(step.before)]) + 0.01 * s.mass().sum() * s.gravity();
    for (const NodeContact& c : step.contacts) expected += c.impulse;
    const Vec3 p = momentum(r.tape.states[static_cast<std::size_t>(step.after)]);
    EXPECT_LT((p - expected).norm(), 1e-8 * (1 + p.norm()));
  }
  EXPECT_GT(num_contacts(r), 20);
}

TEST(Contact, ABlockAtRestIsCarriedByItsWeight) {
  const Rollout r = run({"time.steps=200", "bodies.block.damping={mass: 5, stiffness: 0.01}",
                         "bodies.block.initial={translation: [0, 0, 0]}"});
  const System& s = r.sim->system();
  Vec3 force = Vec3::Zero();
  for (const NodeContact& c : r.tape.records.back().contacts) force += c.impulse / 0.01;
  EXPECT_LT((force + s.mass().sum() * s.gravity()).norm(), 1e-6 * force.norm());
  EXPECT_LT(r.tape.states.back().v.norm(), 1e-6);
}

TEST(Contact, AllWaysOfSolvingAgree) {
  const Rollout expected = run();
  for (const std::vector<std::string>& way :
       std::vector<std::vector<std::string>>{{"contact_solver={type: active_set, low_rank: never}"},
                                             {"contact_solver={type: active_set, low_rank: always}"},
                                             {"contact_solver={type: active_set, low_rank: auto}"},
                                             {"contact_solver={type: active_set, low_rank: share}"},
                                             {"forward={type: newton, relative_tolerance: 1e-10}"},
                                             {"forward={type: pd_lbfgs, relative_tolerance: 1e-10}"},
                                             {"forward={type: newton_pcg, relative_tolerance: 1e-10}"},
                                             {"linear_solver=eigen_ldlt"}}) {
    const Rollout other = run(way);
    EXPECT_LT((other.tape.states.back().x - expected.tape.states.back().x).norm(), 1e-7) << way[0];
    EXPECT_EQ(num_contacts(other), num_contacts(expected)) << way[0];
  }
}

TEST(Contact, HasTheSameBitsWithTwoThreads) {
  // Large enough that every loop has several chunks.
  const std::vector<std::string> large = {
      "bodies.block.mesh={generator: {type: box, size: [0.3, 0.2, 0.2], cells: [14, 12, 12]}}",
      "time.steps=12", "contact_solver={type: active_set, low_rank: always}",
      "forward={relative_tolerance: 1e-6}", "backward={relative_tolerance: 1e-6}"};
  VecX x[2], gradient[2];
  for (int threads = 1; threads <= 2; ++threads) {
    set_num_threads(threads);
    const Rollout r = run(large);
    EXPECT_GT(num_contacts(r), 50);
    x[threads - 1] = r.tape.states.back().x;
    gradient[threads - 1] = r.sim->gradient(r.tape, [&](Index k, Adjoint& a) {
      if (k == r.sim->num_steps()) a.x += x[threads - 1];
    });
  }
  set_num_threads(1);
  EXPECT_EQ(x[0], x[1]);
  EXPECT_EQ(gradient[0], gradient[1]);
}

void expect_gradient(const std::vector<std::string>& overrides, const std::vector<std::string>& paths) {
  expect_contact_gradient(kBlock, overrides, paths);
}

const std::vector<std::string> kBodyPaths = {"bodies.block.materials[0].youngs_modulus",
                                             "bodies.block.materials[1].poissons_ratio",
                                             "bodies.block.density",
                                             "bodies.block.initial.velocity",
                                             "bodies.block.initial.angular_velocity",
                                             "bodies.block.initial.displacements",
                                             "gravity"};

TEST(Contact, GradientsGoThroughContactWithAPlane) {
  auto paths = kBodyPaths;
  paths.push_back("colliders.ground.position");
  paths.push_back("colliders.ground.rotation");
  expect_gradient({"colliders.ground={type: plane, rotation: [0.1, 0.2, 0]}"}, paths);
}
TEST(Contact, GradientsGoThroughContactWithASphere) {
  auto paths = kBodyPaths;
  paths.push_back("colliders.ground.radius");
  paths.push_back("colliders.ground.position");
  expect_gradient({"colliders.ground={type: sphere, position: [0.1, 0.1, -0.5], radius: 0.5}"}, paths);
}
TEST(Contact, GradientsGoThroughContactBySecondOrderSteps) {
  expect_gradient({"integrator=bdf2"}, kBodyPaths);
}
TEST(Contact, GradientsGoThroughContactBesidePinsAndDamping) {
  expect_gradient({"bodies.block.damping={mass: 1, stiffness: 0.01}",
                   "bodies.block.pins=[{nodes: {indices: [35]}, axes: [y]}]", "backward=direct",
                   "contact_solver={type: active_set, low_rank: never}"},
                  kBodyPaths);
}
TEST(Contact, GradientsGoThroughContactWithAColliderThatMoves) {
  auto paths = kBodyPaths;
  paths.push_back("colliders.ground.position");
  expect_gradient(
      {"colliders.ground={type: plane, rotation: [0.1, 0.2, 0], motion: {type: rigid_motion, velocity: "
       "[0.2, 0.1, 0.3]}}"},
      paths);
}
TEST(Contact, GradientsGoThroughContactFromCheckpoints) {
  const std::vector<std::string> binomial = {"memory={budget: 0.05, checkpoints: binomial}"};
  const auto gradient = [&](const std::vector<std::string>& overrides) {
    const auto sim = make_simulation(kBlock, overrides);
    RolloutReport report;
    return sim->run_with_gradient([](Index, const State&, const SolveReport&) { return true; },
                                  [&](Index k, const State& s, Adjoint& a) {
                                    if (k == sim->num_steps()) a.x += s.x, a.v += s.v;
                                  },
                                  report);
  };
  EXPECT_EQ(gradient(binomial), gradient({}));
}
TEST(Contact, GradientsGoThroughContactWherePlacesAreKept) {
  expect_gradient({"contacts=[{type: complementarity, place: kept}]"}, kBodyPaths);
}

TEST(Contact, ANodeInACornerRestsOnBothColliders) {
  // A wall and the ground; the block starts inside both and is pushed out.
  const Rollout r = run({"colliders.wall={type: plane, position: [0.31, 0, 0], normal: [-1, 0, 0]}",
                         "contacts=[{type: complementarity, initial_penetration: push_out}]", "time.steps=5",
                         "bodies.block.initial={translation: [0.012, 0, -0.001]}"});
  Index in_corner = 0;
  for (const StepRecord& s : r.tape.records) {
    const VecX& x = r.tape.states[static_cast<std::size_t>(s.after)].x;
    for (Index i = 0; i < x.size() / 3; ++i) {
      EXPECT_GT(x[3 * i + 2], -1e-9);
      EXPECT_LT(x[3 * i], 0.31 + 1e-9);
    }
    for (const NodeContact& c : s.contacts)
      in_corner += std::abs(x[3 * c.node + 2]) < 1e-9 && std::abs(x[3 * c.node] - 0.31) < 1e-9 ? 1 : 0;
  }
  EXPECT_GT(in_corner, 0);
}

TEST(Contact, ACornerIsLeftByTheColliderThatWouldHaveToPull) {
  // The wall of the corner goes away; the ground keeps the nodes where they are.
  const Rollout r =
      run({"colliders.wall={type: plane, position: [0.31, 0, 0], normal: [-1, 0, 0], motion: "
           "{type: rigid_motion, velocity: [0.5, 0, 0]}}",
           "contacts=[{type: complementarity, initial_penetration: push_out}]", "time.steps=5",
           "bodies.block.initial={translation: [0.012, 0, -0.001]}"});
  for (const StepRecord& s : r.tape.records) {
    const State& after = r.tape.states[static_cast<std::size_t>(s.after)];
    EXPECT_EQ(s.report.adhering, 0);
    for (const NodeContact& c : s.contacts)
      EXPECT_GE(c.impulse.dot(r.sim->system()
                                  .colliders()[static_cast<std::size_t>(c.collider)]
                                  ->at(after.t, after.x.segment<3>(3 * c.node))
                                  .normal),
                -1e-9);
  }
}

TEST(Contact, MostNodesMayTouch) {
  // A sheet of cells that lies on the ground with half of its nodes, all of them candidates and below it.
  const std::vector<std::string> sheet = {
      "bodies.block.mesh={generator: {type: box, size: [1, 1, 0.05], cells: [10, 10, 1]}}",
      "bodies.block.initial={translation: [0, 0, 0.001]}", "time.steps=5"};
  const Rollout r = run(sheet);
  EXPECT_EQ(r.tape.records.back().contacts.size(), 121u);
  for (const char* how : {"always", "never"}) {
    auto way = sheet;
    way.push_back(std::string("contact_solver={type: active_set, low_rank: ") + how + "}");
    const Rollout other = run(way);
    EXPECT_LT((other.tape.states.back().x - r.tape.states.back().x).norm(), 1e-7) << how;
  }
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    run(overrides);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Contact, WhatStartsInsideAColliderIsAnErrorOrPushedOut) {
  const std::vector<std::string> inside = {"bodies.block.initial.translation=[0, 0, -0.01]", "time.steps=3"};
  EXPECT_THAT(error_of(inside), ::testing::AllOf(::testing::HasSubstr("0.01 m inside collider ground"),
                                                 ::testing::HasSubstr("initial_penetration: push_out")));
  auto pushed = inside;
  pushed.push_back("contacts=[{type: complementarity, initial_penetration: push_out}]");
  const Rollout r = run(pushed);
  for (Index i = 0; i < r.sim->system().num_nodes(); ++i) EXPECT_GT(r.tape.states[1].x[3 * i + 2], -1e-9);
}

TEST(Contact, WhereNoSetIsRightNonPenetrationComesFirstAndIsReported) {
  // Thrown into a corner: held, some nodes are pulled; let go, they penetrate.
  const std::vector<std::string> corner = {
      "colliders.wall={type: plane, position: [0.31, 0, 0], normal: [-1, 0, 0]}",
      "bodies.block.initial={translation: [0, 0, 0.005], velocity: [2, 0, -1]}"};
  const auto sim = make_simulation(kBlock, corner);
  Tape tape;
  const RolloutReport report = sim->run(tape, true);
  EXPECT_GT(report.adhering, 0);
  EXPECT_GT(report.largest_pull, 0);
  auto strict = corner;
  strict.push_back("contact_solver={type: active_set, unsettled: error}");
  EXPECT_THAT(error_of(strict), ::testing::HasSubstr("did not settle"));
  const Rollout harmless = run();
  for (const StepRecord& s : harmless.tape.records) EXPECT_EQ(s.report.adhering, 0);
}

TEST(Contact, MistakesAreNamed) {
  using ::testing::HasSubstr;
  EXPECT_THAT(error_of({"contacts=[{type: complementarity, colliders: [groud]}]"}),
              ::testing::AllOf(HasSubstr("no collider 'groud'"), HasSubstr("ground")));
  EXPECT_THAT(error_of({"contacts=[{type: complementarity, colliders: [ground, ground]}]"}),
              HasSubstr("named twice"));
  EXPECT_THAT(error_of({"contacts=[{type: complementarity, body: blok}]"}),
              ::testing::AllOf(HasSubstr("no body 'blok'"), HasSubstr("block")));
  EXPECT_THAT(
      error_of({"contacts=[{type: complementarity, nodes: {sphere: {center: [9, 9, 9], radius: 0.1}}}]"}),
      HasSubstr("matches no vertex"));
  EXPECT_THAT(error_of({"contacts=[{type: complementarity, nodes: {indices: [7000]}}]"}), HasSubstr("7000"));
  EXPECT_THAT(error_of({"contacts=[{type: complementarity}, {type: complementarity}]"}),
              HasSubstr("is in contacts[0] and in contacts[1]"));
  EXPECT_THAT(error_of({"integrator=quasi_static"}), HasSubstr("integrator quasi_static knows no contact"));
  EXPECT_THAT(error_of({"contact_solver={type: active_set, max_trials: 1}"}),
              HasSubstr("did not settle in 1 trials"));
}

}  // namespace
}  // namespace resilin::test

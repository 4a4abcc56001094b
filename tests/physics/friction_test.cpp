// Dry friction: Coulomb's law at every step, closed forms, agreement of solvers, gradients.
#include "tests/support/contact.hpp"

#include <fmt/format.h>

#include <cmath>
#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A block of 3 x 2 x 2 elements that falls with spin, slides, turns and comes to rest.
const char* const kBlock = R"(
time: {step: 0.01, steps: 40}
bodies:
  block:
    mesh: {generator: {type: box, size: [0.3, 0.2, 0.2], cells: [3, 2, 2]}}
    density: 1000
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]
    initial: {translation: [0, 0, 0.04], angular_velocity: [0.4, 1, 0.2], velocity: [0.9, 0.4, -0.5]}
colliders:
  ground: {type: plane}
contacts: [{type: dry_friction, friction: 0.3}]
forward: {relative_tolerance: 1e-10}
backward: {relative_tolerance: 1e-11}
)";

/// A stiff block that starts at rest on a plane whose gravity is that of a slope of 20 degrees.
std::string slope(double friction) {
  const double angle = 20 * M_PI / 180;
  return fmt::format(R"(
time: {{step: 0.001, steps: 300}}
gravity: [{}, 0, {}]
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.2, 0.2, 0.1], cells: [2, 2, 1]}}}}
    density: 1000
    materials: [{{type: corotated, E: 1e7, nu: 0.3}}, {{type: volume, E: 1e7, nu: 0.3}}]
colliders: {{ground: {{type: plane}}}}
contacts: [{{type: dry_friction, friction: {}}}]
forward: {{relative_tolerance: 1e-9}}
backward: {{relative_tolerance: 1e-9}}
)",
                     9.81 * std::sin(angle), -9.81 * std::cos(angle), friction);
}

struct Rollout {
  std::unique_ptr<Simulation> sim;
  Tape tape;
  const State& last() const { return tape.states.back(); }
  Index contacts() const {
    Index n = 0;
    for (const StepRecord& s : tape.records) n += static_cast<Index>(s.contacts.size());
    return n;
  }
  Vec3 center() const {
    const VecX& m = sim->system().mass();
    return as_columns(last().x) * m / m.sum();
  }
};
Rollout run(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  Rollout r{make_simulation(scene.c_str(), overrides), {}};
  r.sim->run(r.tape, true);
  return r;
}

/// How often nodes stuck, slid and were free.
struct Modes {
  Index stuck = 0, slid = 0, open = 0;
};

/// Signorini's and Coulomb's law at the end of each step, for a collider at rest.
Modes expect_coulombs_law(const Rollout& r, double mu) {
  Modes modes;
  const System& s = r.sim->system();
  for (const StepRecord& step : r.tape.records) {
    const State &before = r.tape.states[static_cast<std::size_t>(step.before)],
                &after = r.tape.states[static_cast<std::size_t>(step.after)];
    std::vector<char> touches(static_cast<std::size_t>(s.num_nodes()), 0);
    for (const NodeContact& c : step.contacts) {
      const Collider& collider = *s.colliders()[static_cast<std::size_t>(c.collider)];
      const Vec3 x = after.x.segment<3>(3 * c.node);
      const SurfacePoint p = collider.at(after.t, x);
      touches[static_cast<std::size_t>(c.node)] = 1;
      const Vec3 force = c.impulse / step.context.time_step;
      const double normal = force.dot(p.normal);
      const Vec3 tangential = force - normal * p.normal;
      const double scale = 1e-8 * (1 + force.norm());
      EXPECT_NEAR(p.distance, 0, 1e-9);
      EXPECT_GE(normal, -scale) << "pulled";
      EXPECT_LE(tangential.norm(), mu * normal + scale) << "outside of the cone";
      // Where it would stand if it had stuck.
      const Vec3 from = before.x.segment<3>(3 * c.node);
      const SurfacePoint q = collider.at(after.t, from);
      const Vec3 slip = x - (from - q.distance * q.normal), along = slip - p.normal * p.normal.dot(slip);
      if (tangential.norm() < mu * normal - scale) {
        EXPECT_LE(along.norm(), 1e-9) << "slides with less than full friction";
        ++modes.stuck;
      } else {
        EXPECT_LE(tangential.dot(along), 1e-9 * force.norm()) << "friction drives";
        EXPECT_LE(tangential.cross(along).norm(), scale * along.norm() + 1e-9 * force.norm())
            << "friction is not opposite to the motion";
        ++modes.slid;
      }
    }
    for (Index i = 0; i < s.num_nodes(); ++i) {
      for (const auto& collider : s.colliders())
        EXPECT_GE(collider->at(after.t, after.x.segment<3>(3 * i)).distance, -1e-9) << "penetrates";
      modes.open += touches[static_cast<std::size_t>(i)] ? 0 : 1;
    }
  }
  return modes;
}

TEST(Friction, CoulombsLawHoldsAtEveryStep) {
  for (const char* ground :
       {"colliders.ground={type: plane, rotation: [0.1, 0.2, 0]}",
        "colliders.ground={type: sphere, position: [0.2, 0.1, -1], radius: 1}",
        "colliders.ground={type: bowl, position: [0.1, 0.1, 0.6], radius: 0.65}",
        "colliders.ground={type: box, size: [0.3, 0.3, 0.3], position: [0.2, 0.1, -0.15]}"}) {
    SCOPED_TRACE(ground);
    const Modes modes = expect_coulombs_law(
        run(kBlock, {ground, "time.steps=80", "contacts=[{type: dry_friction, friction: 0.6}]"}), 0.6);
    EXPECT_GT(modes.stuck, 20);
    EXPECT_GT(modes.slid, 20);
    EXPECT_GT(modes.open, 100);
  }
}

TEST(Friction, ABlockSticksOnASlopeUpToItsAngle) {
  // Below the slope's angle it moves by what it leans, above it slides: 3 mm in this time.
  for (const double share : {1.02, 0.98}) {
    const Rollout r = run(slope(share * std::tan(20 * M_PI / 180)));
    const double moved = r.center()[0] - 0.1;
    if (share > 1)
      EXPECT_LT(moved, 5e-5);
    else
      EXPECT_GT(moved, 2e-3);
  }
}

TEST(Friction, ABlockSlidesDownASlopeAsTheClosedFormSays) {
  const double mu = 0.2, angle = 20 * M_PI / 180, h = 0.001, steps = 300;
  const double acceleration = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  const Rollout r = run(slope(mu));
  // Of implicit Euler; 1/2 a t^2 (1 + h/t)
  const double distance = 0.5 * acceleration * h * h * steps * (steps + 1);
  EXPECT_NEAR(r.center()[0] - 0.1, distance, 1e-3 * distance);
  const VecX gradient = r.sim->gradient(r.tape, [&](Index k, Adjoint& a) {
    const VecX& m = r.sim->system().mass();
    if (k == r.sim->num_steps())
      for (Index i = 0; i < m.size(); ++i) a.x[3 * i] += m[i] / m.sum();
  });
  const double expected = -0.5 * 9.81 * std::cos(angle) * h * h * steps * (steps + 1);
  EXPECT_NEAR(gradient[r.sim->system().contact_offset(0)], expected, 1e-3 * std::abs(expected));
}

TEST(Friction, ABeltTakesABlockAlong) {
  // mu g until the block is as fast as the belt; from then on they move together.
  const double mu = 0.3, belt = 0.5, h = 0.001;
  const Rollout r =
      run(slope(mu), {"gravity=[0, 0, -9.81]", "time.steps=250",
                      "colliders.ground={type: plane, motion: {type: rigid_motion, velocity: [0.5, 0, 0]}}"});
  const double slides = belt / (mu * 9.81);  // [s]
  const auto velocity = [&](Index step) {
    const VecX& m = r.sim->system().mass();
    return (as_columns(r.tape.states[static_cast<std::size_t>(step)].v) * m / m.sum())[0];
  };
  EXPECT_NEAR(velocity(100), mu * 9.81 * 100 * h, 2e-3 * mu * 9.81 * 100 * h);
  EXPECT_NEAR(velocity(250), belt, 2e-3 * belt);
  EXPECT_NEAR(r.center()[0] - 0.1, belt * (0.25 - 0.5 * slides), 2e-3);
}

TEST(Friction, ImpulsesAreWhatChangesTheMomentum) {
  const Rollout r = run(kBlock);
  const System& s = r.sim->system();
  const auto momentum = [&](const State& state) -> Vec3 { return as_columns(state.v) * s.mass(); };
  for (const StepRecord& step : r.tape.records) {
    Vec3 expected =
        momentum(r.tape.states[static_cast<std::size_t>(step.before)]) + 0.01 * s.mass().sum() * s.gravity();
    for (const NodeContact& c : step.contacts) expected += c.impulse;
    const Vec3 p = momentum(r.tape.states[static_cast<std::size_t>(step.after)]);
    EXPECT_LT((p - expected).norm(), 1e-8 * (1 + p.norm()));
  }
  EXPECT_GT(r.contacts(), 20);
}

TEST(Friction, WithoutItNothingChangesTheMotionAlongAPlane) {
  const Rollout r = run(kBlock, {"contacts=[{type: dry_friction, friction: 0}]", "time.steps=80"});
  EXPECT_GT(r.contacts(), 50);
  const VecX& m = r.sim->system().mass();
  const Vec3 v = as_columns(r.last().v) * m / m.sum();
  EXPECT_NEAR(v[0], 0.9, 1e-8);
  EXPECT_NEAR(v[1], 0.4, 1e-8);
}

VecX gradient_of(const Rollout& r) {
  const VecX w = random_vector(r.sim->system().num_dofs(), 5);
  return r.sim->gradient(r.tape, [&](Index k, Adjoint& a) {
    if (k == r.sim->num_steps()) a.x += w, a.v += 0.1 * w;
  });
}

TEST(Friction, AllSolversAgreeInStatesAndGradients) {
  const Rollout expected = run(kBlock);
  const VecX gradient = gradient_of(expected);
  for (const std::vector<std::string>& way :
       std::vector<std::vector<std::string>>{{"contact_solver=semismooth_newton"},
                                             {"contact_solver=delassus"},
                                             {"contact_solver=splitting"},
                                             {"linear_solver=eigen_ldlt"},
                                             {"contact_solver={type: semismooth_newton, restart: 7}"},
                                             {"contact_solver={type: semismooth_newton, max_dense: 0}"}}) {
    const Rollout other = run(kBlock, way);
    EXPECT_LT((other.last().x - expected.last().x).norm(), 1e-7) << way[0];
    EXPECT_LT((gradient_of(other) - gradient).norm(), 1e-7 * gradient.norm()) << way[0];
    EXPECT_EQ(other.contacts(), expected.contacts()) << way[0];
  }
}

TEST(Friction, WithoutLimitItIsContactThatSticks) {
  // Up to the first step in which infinite friction has two solutions, here with three and with four
  // contacts.
  const std::vector<std::string> sticks = {"contacts=[{type: complementarity}]", "time.steps=11"};
  auto with = [&](std::vector<std::string> o, const char* solver) {
    o.emplace_back(solver);
    return run(kBlock, o);
  };
  const Rollout held = with(sticks, "contact_solver=active_set"),
                newton = with(sticks, "contact_solver=semismooth_newton"),
                sweeps = with(sticks, "contact_solver=delassus");
  EXPECT_GT(held.contacts(), 5);
  EXPECT_LT((newton.last().x - held.last().x).norm(), 1e-7);
  EXPECT_LT((sweeps.last().x - held.last().x).norm(), 1e-7);
  const VecX gradient = gradient_of(held);
  EXPECT_LT((gradient_of(newton) - gradient).norm(), 1e-7 * gradient.norm());
}

const std::vector<std::string> kPaths = {"bodies.block.materials[0].youngs_modulus",
                                         "bodies.block.materials[1].poissons_ratio",
                                         "bodies.block.density",
                                         "bodies.block.initial.velocity",
                                         "bodies.block.initial.angular_velocity",
                                         "bodies.block.initial.displacements",
                                         "gravity",
                                         "contacts[0].friction"};

std::vector<std::string> with(std::initializer_list<const char*> more) {
  std::vector<std::string> paths = kPaths;
  for (const char* p : more) paths.emplace_back(p);
  return paths;
}

TEST(Friction, GradientsGoThroughContactWithAPlane) {
  expect_contact_gradient(kBlock, {"colliders.ground={type: plane, rotation: [0.1, 0.2, 0]}"},
                          with({"colliders.ground.position", "colliders.ground.rotation"}));
}
TEST(Friction, GradientsGoThroughContactWithASphere) {
  expect_contact_gradient(kBlock,
                          {"colliders.ground={type: sphere, position: [0.1, 0.1, -0.5], radius: 0.5}"},
                          with({"colliders.ground.position", "colliders.ground.radius"}));
}
TEST(Friction, GradientsGoThroughContactBySecondOrderSteps) {
  expect_contact_gradient(kBlock, {"integrator=bdf2"}, kPaths);
}
TEST(Friction, GradientsGoThroughContactWithAColliderThatMovesBesidePinsAndDamping) {
  expect_contact_gradient(
      kBlock,
      {"colliders.ground={type: plane, rotation: [0.1, 0.2, 0], motion: {type: rigid_motion, velocity: [0.2, "
       "0.1, 0.3]}}",
       "bodies.block.damping={mass: 1, stiffness: 0.01}",
       "bodies.block.pins=[{nodes: {indices: [35]}, axes: [y]}]"},
      with({"colliders.ground.position", "colliders.ground.rotation"}));
}

TEST(Friction, GradientsGoThroughACorner) {
  // It slides along both: where a node sticks to two colliders, how much force each of them takes is open.
  expect_contact_gradient(kBlock,
                          {"colliders.wall={type: plane, position: [0.31, 0, 0], normal: [-1, 0, 0]}",
                           "bodies.block.initial={translation: [0, 0, 0.004]}", "gravity=[4, 5, -9.81]",
                           "time.steps=14", "contacts=[{type: dry_friction, friction: 0.1}]"},
                          {"bodies.block.materials[0].youngs_modulus", "bodies.block.density",
                           "bodies.block.initial.displacements", "contacts[0].friction",
                           "colliders.wall.position", "colliders.ground.position"});
}
TEST(Friction, GradientsGoThroughStepsThatAreHalved) {
  const std::vector<std::string> few = {"contact_solver={type: semismooth_newton, max_iterations: 5}",
                                        "on_failure=halve_step", "forward={relative_tolerance: 1e-12}"};
  const auto sim = make_simulation(kBlock, few);
  Tape tape;
  EXPECT_GT(sim->run(tape, true).halvings, 0);
  expect_contact_gradient(kBlock, few, kPaths);
}
TEST(Friction, GradientsAreTheSameFromCheckpoints) {
  const auto gradient = [&](const std::vector<std::string>& overrides) {
    const auto sim = make_simulation(kBlock, overrides);
    RolloutReport report;
    return sim->run_with_gradient([](Index, const State&, const SolveReport&) { return true; },
                                  [&](Index k, const State& s, Adjoint& a) {
                                    if (k == sim->num_steps()) a.x += s.x, a.v += s.v;
                                  },
                                  report);
  };
  EXPECT_EQ(gradient({"memory={budget: 0.05, checkpoints: binomial}"}), gradient({}));
}

TEST(Friction, HasTheSameBitsWithTwoThreads) {
  const std::vector<std::string> large = {
      "bodies.block.mesh={generator: {type: box, size: [0.3, 0.2, 0.2], cells: [14, 12, 12]}}",
      "time.steps=8", "forward={relative_tolerance: 1e-6}", "backward={relative_tolerance: 1e-6}"};
  VecX x[2], gradient[2];
  for (int threads = 1; threads <= 2; ++threads) {
    set_num_threads(threads);
    const Rollout r = run(kBlock, large);
    EXPECT_GT(r.contacts(), 50);
    x[threads - 1] = r.last().x;
    gradient[threads - 1] = gradient_of(r);
  }
  set_num_threads(1);
  EXPECT_EQ(x[0], x[1]);
  EXPECT_EQ(gradient[0], gradient[1]);
}

TEST(Friction, ANodeInACornerTouchesBothColliders) {
  // Gravity pushes the block along the ground into a wall.
  const Rollout r = run(kBlock, {"colliders.wall={type: plane, position: [0.31, 0, 0], normal: [-1, 0, 0]}",
                                 "bodies.block.initial={translation: [0, 0, 0]}", "gravity=[6, 0, -9.81]"});
  expect_coulombs_law(r, 0.3);
  Index corners = 0;
  for (const StepRecord& s : r.tape.records)
    for (std::size_t k = 1; k < s.contacts.size(); ++k)
      corners += s.contacts[k].node == s.contacts[k - 1].node ? 1 : 0;
  EXPECT_GT(corners, 0);
}

TEST(Friction, ManyNodesThatKeepChangingTheirModeSettle) {
  // Fine blocks on curved ground: where Newton's method alone goes round in circles.
  const std::vector<std::string> fine = {
      "bodies.block.mesh={generator: {type: box, size: [0.3, 0.2, 0.2], cells: [12, 8, 8]}}",
      "forward={relative_tolerance: 1e-6}", "time.steps=20",
      "colliders.ground={type: bowl, position: [0.1, 0.1, 0.5], radius: 0.6}"};
  const Rollout r = run(kBlock, fine);
  const Modes modes = expect_coulombs_law(r, 0.3);
  EXPECT_GT(modes.slid, 300);
}

TEST(Friction, MistakesAreNamed) {
  const auto message = [](const std::vector<std::string>& overrides) -> std::string {
    try {
      make_simulation(kBlock, overrides);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message({"contacts=[{type: dry_friction, friction: -0.1}]"}), ::testing::HasSubstr("friction"));
  EXPECT_THAT(message({"contacts=[{type: dry_friction}, {type: penalty}]"}),
              ::testing::HasSubstr("contacts[1]: it would never act"));
  EXPECT_THAT(message({"contact_solver=active_set"}), ::testing::HasSubstr("semismooth_newton"));
  EXPECT_THAT(message({"contacts=[{type: complementarity, place: kept}]", "contact_solver=delassus"}),
              ::testing::HasSubstr("only active_set"));
}

}  // namespace
}  // namespace resilin::test

// Contact of surfaces with themselves and each other: the law, nothing passes through, momentum, gradients.
#include "tests/support/self_contact.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A sheet that falls on one that is held at its edge, and slides down its slope.
const char* const kSheets = R"(
time: {step: 0.01, steps: 40}
gravity: [1.5, 0.4, -9.6]
bodies:
  lower:
    mesh: {generator: {type: grid, size: [1, 1], cells: [8, 8]}}
    thickness: 0.001
    density: 200
    materials: [{type: membrane_stvk, E: 1e5, nu: 0.3}]
    pins: [{nodes: {boundary: true}}]
  upper:
    mesh: {generator: {type: grid, size: [0.6, 0.6], cells: [5, 5]}}
    thickness: 0.001
    density: 200
    materials: [{type: membrane_stvk, E: 1e5, nu: 0.3}]
    initial: {translation: [0.2, 0.1, 0.04], rotation: [0.02, 0.03, 0.3], velocity: [0.1, -0.05, 0.1]}
contacts: [{type: self_contact, distance: 0.01, friction: 0.3}]
forward: {relative_tolerance: 1e-10}
backward: {relative_tolerance: 1e-11}
)";

/// A sheet that hangs from two corners, folds as these meet, and touches itself.
const char* const kFold = R"(
time: {step: 0.01, steps: 60}
bodies:
  cloth:
    mesh: {generator: {type: grid, size: [0.6, 0.3], cells: [12, 6]}}
    thickness: 0.001
    density: 200
    materials: [{type: membrane_stvk, E: 3e4, nu: 0.3}]
    initial: {velocity: [0, 0, 0]}
    pins:
      - {nodes: {box: {min: [-0.01, -0.01, -0.01], max: [0.01, 0.31, 0.01]}}}
      - {nodes: {box: {min: [0.59, -0.01, -0.01], max: [0.61, 0.31, 0.01]}},
         motion: {type: key_frames, times: [0, 0.5], offsets: [[0, 0, 0], [-0.58, 0.03, 0.02]]}}
contacts: [{type: self_contact, distance: 0.03, friction: 0.3}]
forward: {relative_tolerance: 1e-12}
contact_solver: {type: semismooth_newton, gap_tolerance: 1e-13, force_tolerance: 1e-12}
backward: {relative_tolerance: 1e-11}
)";

void expect_law_of_many(const Rollout& r) {
  const Touches touches = expect_law(r);
  EXPECT_GT(touches.stuck, 5);
  EXPECT_GT(touches.slid, 10);
}

TEST(SelfContact, SheetsKeepTheLaw) {
  expect_law_of_many(run(kSheets));
}

TEST(SelfContact, AFoldKeepsTheLaw) {
  expect_law_of_many(run(kFold));
}

TEST(SelfContact, GradientsOfSheets) {
  // Differences of this accuracy need steps that are solved to rounding.
  expect_contact_gradient(
      kSheets,
      {"time.steps=25", "forward.relative_tolerance=1e-12",
       "contact_solver={type: semismooth_newton, gap_tolerance: 1e-13, force_tolerance: 1e-12}"},
      {"contacts[0].friction", "contacts[0].distance", "bodies.upper.initial.velocity",
       "bodies.upper.initial.rotation", "gravity"});
}

TEST(SelfContact, GradientsOfAFold) {
  expect_contact_gradient(kFold, {"time.steps=53"},
                          {"contacts[0].friction", "contacts[0].distance", "bodies.cloth.initial.velocity",
                           "bodies.cloth.pins[1].motion.offsets"});
}

TEST(SelfContact, FeaturesHaveExactDerivatives) {
  const auto sim = make_simulation(kSheets, {});
  const System& s = sim->system();
  const auto& law = dynamic_cast<const PairLaw&>(*s.contacts().front());
  const VecX x = s.initial_state().x + 0.01 * random_vector(s.num_dofs(), 5);
  const Index upper = s.bodies()[1]->first_node;
  const std::array<std::array<Index, 4>, 4> nodes{{{30, upper + 7, -1, -1},
                                                   {upper + 7, 30, 31, -1},
                                                   {upper + 7, 30, 31, 40},
                                                   {30, 40, upper + 7, upper + 8}}};
  for (int form = 0; form < 4; ++form) {
    NodeContact name;
    name.node = nodes[static_cast<std::size_t>(form)][0];
    name.form = form;
    std::copy(nodes[static_cast<std::size_t>(form)].begin() + 1, nodes[static_cast<std::size_t>(form)].end(),
              name.others.begin());
    ContactPairCotangent z;
    const VecX r = random_vector(8, 9);
    z.gap = r[0];
    z.normal = r.segment<3>(1);
    for (std::size_t k = 0; k < 4; ++k) z.weights[k] = r[static_cast<Index>(k) + 4];
    const auto value = [&](const VecX& at) {
      const ContactPair pair = law.find({s.colliders(), at, at, 0.01, 0.01, s.fixed()}, name);
      double sum = z.gap * pair.gap + z.normal.dot(pair.normal);
      for (std::size_t k = 0; k < 4; ++k) sum += z.weights[k] * pair.weights[k];
      return sum;
    };
    const ContactStep step{s.colliders(), x, x, 0.01, 0.01, s.fixed()};
    VecX dx = VecX::Zero(x.size()), theta = VecX::Zero(s.parameters().values().size());
    law.add_vjp(step, law.find(step, name), z, dx, theta, s.collider_offsets(), s.contact_offset(0));
    EXPECT_NEAR(theta[s.contact_offset(0) + law.distance_parameter()], -z.gap, 1e-15);
    const double h = 1e-6;
    for (const unsigned seed : {11u, 12u}) {
      const VecX d = random_vector(x.size(), seed);
      EXPECT_NEAR((value(x + h * d) - value(x - h * d)) / (2 * h), dx.dot(d), 1e-6 * dx.norm()) << form;
    }
  }
}

/// Two sheets that collide in free flight.
const char* const kCollision = R"(
time: {step: 0.005, steps: 40}
gravity: [0, 0, 0]
bodies:
  one:
    mesh: {generator: {type: grid, size: [0.5, 0.5], cells: [5, 5]}}
    thickness: 0.001
    density: 200
    materials: [{type: membrane_stvk, E: 1e5, nu: 0.3}]
  two:
    mesh: {generator: {type: grid, size: [0.3, 0.3], cells: [4, 4]}}
    thickness: 0.001
    density: 300
    materials: [{type: membrane_stvk, E: 1e5, nu: 0.3}]
    initial: {translation: [0.13, 0.08, 0.1], rotation: [0.3, 0.2, 0.4], velocity: [0.3, 0.1, -2]}
contacts: [{type: self_contact, distance: 0.01, friction: 0.4}]
forward: {relative_tolerance: 1e-10}
)";

TEST(SelfContact, MomentumIsKept) {
  const Rollout r = run(kCollision);
  ASSERT_GT(r.contacts(), 50);
  const VecX& m = r.sim->system().mass();
  const auto momentum = [&](const State& s) -> Vec3 { return as_columns(s.v) * m; };
  const Vec3 first = momentum(r.tape.states.front());
  for (const State& s : r.tape.states) EXPECT_LT((momentum(s) - first).norm(), 1e-9 * first.norm());
}

/// Two plates, thin beside the way that one makes in a step.
const char* const kPlates = R"(
time: {step: 0.005, steps: 12}
gravity: [0, 0, 0]
bodies:
  one:
    mesh: {generator: {type: box, size: [0.5, 0.5, 0.02], cells: [5, 5, 1]}}
    density: 500
    materials: [{type: stable_neo_hookean, E: 1e6, nu: 0.3}]
  two:
    mesh: {generator: {type: box, size: [0.3, 0.3, 0.02], cells: [4, 4, 1]}}
    density: 1000
    materials: [{type: stable_neo_hookean, E: 1e6, nu: 0.3}]
    initial: {translation: [0.13, 0.08, 0.15], rotation: [0.3, 0.2, 0.4]}
contacts: [{type: self_contact, distance: 0.005, friction: 0.4, pairs: between}]
on_failure: halve_step
)";

TEST(SelfContact, NothingPassesThroughAtAnySpeed) {
  // Up to ten times its thickness in a step.
  for (const char* velocity : {"[0, 0, -2]", "[5, 0, -20]", "[0, 0, -40]"}) {
    const Rollout r = run(kPlates, {std::string("bodies.two.initial.velocity=") + velocity});
    ASSERT_GT(r.contacts(), 10) << velocity;
    for (const State& s : r.tape.states)
      for (const std::size_t first : {0u, 1u})
        EXPECT_EQ(
            count_intersections(*r.sim->system().bodies()[first], *r.sim->system().bodies()[1 - first], s.x),
            0)
            << velocity << " at " << s.t;
  }
}

TEST(SelfContact, SolversAgree) {
  const Rollout newton = run(kSheets, {"contact_solver={type: semismooth_newton}", "time.steps=20"});
  const Rollout sweeps = run(kSheets, {"contact_solver={type: delassus}", "time.steps=20"});
  EXPECT_LT((newton.tape.states.back().x - sweeps.tape.states.back().x).norm(),
            1e-7 * newton.tape.states.back().x.norm());
}

TEST(SelfContact, TheAdjointOfGmresIsThatOfTheFactor) {
  std::vector<VecX> gradients;
  for (const char* adjoint : {"gmres", "lu"}) {
    const Rollout r = run(
        kSheets,
        {"time.steps=25", std::string("contact_solver={type: semismooth_newton, adjoint: ") + adjoint + "}"});
    ASSERT_GT(r.contacts(), 10);
    const VecX weights = random_vector(r.sim->system().num_dofs(), 3);
    gradients.push_back(r.sim->gradient(r.tape, [&](Index k, Adjoint& a) {
      if (k == r.sim->num_steps()) a.x += weights;
    }));
  }
  EXPECT_LT((gradients[0] - gradients[1]).norm(), 1e-8 * gradients[1].norm());
}

TEST(SelfContact, TheSameBitsWithOneAndTwoThreads) {
  const int before = num_threads();
  set_num_threads(1);
  const Rollout one = run(kSheets);
  set_num_threads(2);
  const Rollout two = run(kSheets);
  set_num_threads(before);
  EXPECT_EQ(one.tape.states.back().x, two.tape.states.back().x);
}

TEST(SelfContact, AStackOfBlocksCarriesItsWeight) {
  const Rollout r = run(R"(
time: {step: 0.01, steps: 60}
bodies:
  low: &block
    mesh: {generator: {type: box, size: [0.3, 0.3, 0.2], cells: [3, 3, 2]}}
    density: 1000
    materials: [{type: corotated, E: 2e5, nu: 0.3}, {type: volume, E: 2e5, nu: 0.3}]
    damping: {mass: 10}
  high:
    <<: *block
    initial: {translation: [0.04, 0.05, 0.204], rotation: [0, 0, 0.3]}
colliders: {ground: {type: plane}}
contacts:
  - {type: dry_friction, body: low, friction: 0.6}
  - {type: self_contact, distance: 0.004, friction: 0.6, pairs: between}
forward: {relative_tolerance: 1e-9}
)");
  Vec3 force = Vec3::Zero();
  for (const NodeContact& c : r.tape.records.back().contacts) {
    if (c.model != 1) continue;
    // On whichever side: the upper block is the second body.
    const Index upper = r.sim->system().bodies()[1]->first_node;
    c.for_each_impulse([&](Index node, const Vec3& impulse) {
      if (node >= upper) force += impulse / 0.01;
    });
  }
  const double weight = 0.3 * 0.3 * 0.2 * 1000 * 9.81;
  EXPECT_NEAR(force.z(), weight, 0.02 * weight);
  EXPECT_LT(force.head<2>().norm(), 0.02 * weight);
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    run(kSheets, overrides);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(SelfContact, BadInputIsNamed) {
  using ::testing::HasSubstr;
  EXPECT_THAT(error_of({"contacts[0].distance=0.06"}), HasSubstr("too near to node"));
  EXPECT_THAT(error_of({"contacts[0].bodies=[upper, upper]"}), HasSubstr("named twice"));
  EXPECT_THAT(error_of({"contacts[0].bodies=[uper]"}), HasSubstr("upper"));
  EXPECT_THAT(error_of({"contact_solver={type: active_set}"}), HasSubstr("finds what touches by itself"));
  EXPECT_THAT(error_of({"contacts[0].bodies=[upper]", "contacts[0].pairs=between"}),
              HasSubstr("two of them"));
}

}  // namespace
}  // namespace resilin::test

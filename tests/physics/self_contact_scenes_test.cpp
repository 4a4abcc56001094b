// Surfaces that touch in many ways: layers, edges, colliders between, pins along axes; starts that are no
// start.
#include "tests/support/self_contact.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

std::string sheet(const std::string& name, const std::string& size, const std::string& cells,
                  const std::string& more) {
  return fmt::format(R"(  {}:
    mesh: {{generator: {{type: grid, size: {}, cells: {}}}}}
    thickness: 0.001
    density: 200
    materials: [{{type: membrane_stvk, E: 1e5, nu: 0.3}}]
{}
)",
                     name, size, cells, more);
}
const char* const kHead = R"(
time: {step: 0.01, steps: 30}
gravity: [1.5, 0.4, -9.6]
forward: {relative_tolerance: 1e-10}
backward: {relative_tolerance: 1e-11}
bodies:
)";
const char* const kSelf = "contacts: [{type: self_contact, distance: 0.01, friction: 0.3}]\n";

/// Three sheets above each other, the lowest held at its edge; turned against each other or not.
std::string layers(bool turned) {
  const char* const held = "    pins: [{nodes: {boundary: true}}]";
  return kHead + sheet("low", "[0.6, 0.6]", "[6, 6]", held) +
         sheet("middle", turned ? "[0.5, 0.5]" : "[0.6, 0.6]", turned ? "[5, 5]" : "[6, 6]",
               turned ? "    initial: {translation: [0.05, 0.05, 0.02], rotation: [0, 0, 0.5]}"
                      : "    initial: {translation: [0, 0, 0.02]}") +
         sheet("top", turned ? "[0.5, 0.5]" : "[0.6, 0.6]", turned ? "[5, 5]" : "[6, 6]",
               turned ? "    initial: {translation: [0.05, 0.05, 0.05], rotation: [0, 0.02, 1]}"
                      : "    initial: {translation: [0, 0, 0.04]}") +
         kSelf;
}
/// Held along z and along x only, so that both sides of a contact have nodes that a pin holds.
std::string pinned_along_axes() {
  return kHead +
         sheet("low", "[0.6, 0.6]", "[6, 6]",
               "    pins: [{nodes: {boundary: true}, axes: [z]}, {nodes: {indices: [0]}}]") +
         sheet("top", "[0.5, 0.5]", "[5, 5]",
               "    initial: {translation: [0.05, 0.05, 0.02], rotation: [0, 0, 0.5]}\n"
               "    pins: [{nodes: {boundary: true}, axes: [x]}]") +
         kSelf;
}
/// Cloth that lies half on the edge of a plate that does not move, and slides off.
std::string over_an_edge() {
  return kHead +
         sheet("plate", "[0.4, 0.4]", "[4, 4]",
               "    pins: [{nodes: {box: {min: [-9, -9, -9], max: [9, 9, 9]}}}]\n"
               "    initial: {rotation: [0, 0, 0.2]}") +
         sheet("cloth", "[0.6, 0.3]", "[8, 4]", "    initial: {translation: [0.15, 0.03, 0.03]}") + kSelf +
         "energies: {bend: {type: quadratic_bending, body: cloth, stiffness: 1e-4}}\n";
}
const char* const kPressed = R"(
time: {step: 0.01, steps: 30}
colliders:
  floor: {type: plane}
  lid: {type: plane, normal: [0, 0, -1], position: [0, 0, 0.06], motion: {type: rigid_motion, velocity: [0.1, 0, -0.09]}}
contacts:
  - {type: self_contact, distance: 0.01, friction: 0.3}
  - {type: dry_friction, body: one, friction: 0.3, distance: 0.005}
  - {type: dry_friction, body: two, friction: 0.3, distance: 0.005}
forward: {relative_tolerance: 1e-10}
bodies:
)";
/// Two sheets between a floor and a lid that comes down and slides.
std::string pressed() {
  return kPressed + sheet("one", "[0.5, 0.5]", "[6, 6]", "    initial: {translation: [0, 0, 0.01]}") +
         sheet("two", "[0.4, 0.4]", "[5, 5]", "    initial: {translation: [0.03, 0.06, 0.03]}");
}
/// Cloth on a block of hexahedra, and a block of tetrahedra that falls on both.
std::string volumes() {
  return kHead + std::string(R"(  plate:
    mesh: {generator: {type: box, size: [0.4, 0.4, 0.05], cells: [4, 4, 1], element: hex8}}
    density: 500
    materials: [{type: stable_neo_hookean, E: 1e5, nu: 0.3}]
    pins: [{nodes: {box: {min: [-1, -1, -0.01], max: [1, 1, 0.001]}}}]
  block:
    mesh: {generator: {type: box, size: [0.2, 0.2, 0.1], cells: [2, 2, 1], element: tet4}}
    density: 500
    materials: [{type: stable_neo_hookean, E: 1e5, nu: 0.3}]
    initial: {translation: [0.3, 0.1, 0.11], rotation: [0.3, 0.4, 0.1]}
)") + sheet("cloth", "[0.6, 0.3]", "[8, 4]", "    initial: {translation: [0, 0.03, 0.3]}") +
         kSelf;
}
/// A strip that a turning cylinder winds up.
std::string wound() {
  return R"(
time: {step: 0.01, steps: 50}
colliders:
  roll: {type: cylinder, radius: 0.1, length: 0.5, axis: [0, 1, 0], position: [0, 0, -0.1],
         motion: {type: rigid_motion, rotation: {axis: [0, 1, 0], point: [0, 0, -0.1], rate: -6}}}
contacts: [{type: self_contact, distance: 0.01, friction: 0.3}, {type: dry_friction, body: strip, friction: 0.3, distance: 0.005}]
forward: {relative_tolerance: 1e-10}
bodies:
)" + sheet("strip", "[0.9, 0.2]", "[18, 4]",
           "    initial: {translation: [0, -0.1, 0.005]}\n"
           "    pins: [{nodes: {box: {min: [-0.01, -1, -1], max: [0.01, 1, 1]}}, "
           "motion: {type: rotation, axis: [0, 1, 0], point: [0, 0, -0.1], rate: -6}}]");
}

TEST(SelfContactScenes, LayersKeepTheLaw) {
  for (const bool turned : {false, true}) {
    SCOPED_TRACE(turned ? "turned" : "above each other");
    const Touches touches = expect_law(run(layers(turned)));
    EXPECT_GT(touches.stuck, 20);
    EXPECT_GT(touches.slid, 20);
  }
}

TEST(SelfContactScenes, LayersKeepTheLawWhateverItIs) {
  for (const char* change : {"contacts[0].friction=0", "integrator={type: bdf2}"}) {
    SCOPED_TRACE(change);
    expect_law(run(layers(true), {change, "time.steps=20"}));
  }
}

TEST(SelfContactScenes, WhatSlidesOffAnEdgeIsNotHeldUpByIt) {
  // Each contact's closest points lie within its features, which expect_law checks.
  const Rollout r = run(over_an_edge());
  EXPECT_GT(expect_law(r).slid, 100);
}

TEST(SelfContactScenes, CollidersAndVolumesKeepTheLaw) {
  EXPECT_GT(expect_law(run(pressed())).stuck, 100);
  EXPECT_GT(expect_law(run(volumes())).slid, 20);
  EXPECT_GT(expect_law(run(wound())).slid, 20);
}

TEST(SelfContactScenes, PinsAlongOtherAxesThanTheNormalHoldNothingUp) {
  const Touches touches = expect_law(run(pinned_along_axes(), {"time.steps=20"}));
  EXPECT_GT(touches.stuck + touches.slid, 100);
}

TEST(SelfContactScenes, GradientsWherePinsHoldAxes) {
  expect_contact_gradient(
      pinned_along_axes().c_str(),
      {"time.steps=8", "forward.relative_tolerance=1e-13",
       "contact_solver={type: semismooth_newton, gap_tolerance: 1e-15, force_tolerance: 1e-14}"},
      {"contacts[0].friction", "contacts[0].distance", "gravity"});
}

TEST(SelfContactScenes, GradientsHaveTheSameBitsWithThreadsAndCheckpoints) {
  const int before = num_threads();
  const auto gradient = [](int threads, const std::vector<std::string>& more) {
    set_num_threads(threads);
    std::vector<std::string> overrides = {"time.steps=15"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    const auto sim = make_simulation(layers(true), overrides);
    const VecX weights = random_vector(sim->system().num_dofs(), 3);
    Tape tape;
    sim->run(tape, true);
    return sim->gradient(tape, [&](Index k, Adjoint& a) {
      if (k == sim->num_steps()) a.x += weights;
    });
  };
  const VecX one = gradient(1, {}), two = gradient(2, {}), again = gradient(2, {"memory.budget=0.02"});
  set_num_threads(before);
  EXPECT_GT(one.norm(), 0);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, again);
}

std::string error_of(const std::string& scene, const std::vector<std::string>& overrides) {
  try {
    make_simulation(scene, overrides);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(SelfContactScenes, AStartWithCrossingTrianglesIsNamed) {
  using ::testing::HasSubstr;
  // An edge right through the middle of large triangles: all vertices are far from what they cross.
  const std::string scene =
      kHead + sheet("low", "[1, 1]", "[1, 1]", "") +
      sheet("blade", "[1, 1]", "[1, 1]",
            "    initial: {rotation: [1.5707963267948966, 0, 0], translation: [0.1, 0.05, 0]}") +
      kSelf;
  for (const char* start : {"error", "push_out"}) {
    const std::string said = error_of(scene, {std::string("contacts[0].initial_penetration=") + start});
    EXPECT_THAT(said, HasSubstr("scene.yaml:")) << start;
    EXPECT_THAT(said, HasSubstr("surfaces start crossed: the edge from node 0 of body low")) << start;
    EXPECT_THAT(said, HasSubstr("of body blade")) << start;
  }
  EXPECT_EQ(error_of(scene, {"contacts[0].pairs=within"}), "") << "what may not meet may cross";
  EXPECT_EQ(error_of(scene, {"bodies.blade.initial.translation=[0.1, 0.05, 0.6]"}), "");
}

TEST(SelfContactScenes, SurfacesThatStartTooNearArePushedApart) {
  using ::testing::HasSubstr;
  const std::vector<std::string> near = {"bodies.middle.initial.translation=[0.05, 0.05, 0.004]",
                                         "time.steps=10"};
  EXPECT_THAT(error_of(layers(true), near), HasSubstr("starts 0.006 m too near to"));
  std::vector<std::string> pushed = near;
  pushed.push_back("contacts[0].initial_penetration=push_out");
  const Rollout r = run(layers(true), pushed);
  EXPECT_GT(r.tape.records.front().contacts.size(), 10u);
  expect_law(r);
}

TEST(SelfContact, WhatPinsHoldTogetherDoesNotTouch) {
  // Two panels that are pinned along one seam, where their nodes coincide.
  const Rollout r = run(R"(
time: {step: 0.01, steps: 30}
bodies:
  front: &panel
    mesh: {generator: {type: grid, size: [0.3, 0.3], cells: [4, 4]}}
    thickness: 0.001
    density: 200
    materials: [{type: membrane_stvk, E: 1e5, nu: 0.3}]
    initial: {rotation: [0, -0.2, 0], translation: [0, 0, 0.02980039961925918]}
    pins: [{nodes: {box: {min: [-0.01, -1, -1], max: [0.01, 1, 1]}}}]
  back:
    <<: *panel
    initial: {rotation: [0, 0.2, 0], translation: [0, 0, -0.02980039961925918]}
contacts: [{type: self_contact, distance: 0.01, friction: 0.2}]
)");
  for (const State& s : r.tape.states)
    for (const std::size_t first : {0u, 1u}) {
      const auto& bodies = r.sim->system().bodies();
      EXPECT_EQ(count_intersections(*bodies[first], *bodies[first], s.x), 0);
    }
}

}  // namespace
}  // namespace resilin::test

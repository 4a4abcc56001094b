// Forces at vertices that change in time: exact velocities of a free body, gradients, mistakes.
#include "tests/physics/statics.hpp"
#include "tests/support/gradcheck.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A free cube of 8 vertices and 1 kg without gravity, which equal forces on all vertices do not deform.
std::string cube(const std::string& force, const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 20}}
gravity: [0, 0, 0]
bodies:
  cube:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 1000
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
forces:
  push: {{type: nodal_force, {}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}}
backward: {{type: direct, relative_tolerance: 1e-13}}
{})",
                     force, rest);
}

// v_n = v_n-1 + h 8 f(t_n)/m with f piecewise linear.
TEST(NodalForce, FollowsItsKeyTimes) {
  const auto sim = make_simulation(
      cube("key_times: [0.045, 0.105, 0.15], force: {steps: [[1, 0, 0], [3, 2, 0], [-1, 2, 4]]}"));
  Tape tape;
  sim->run(tape, true);
  const auto force = [](double t) -> Vec3 {
    const Vec3 a(1, 0, 0), b(3, 2, 0), c(-1, 2, 4);
    if (t <= 0.045) return a;
    if (t <= 0.105) return a + (t - 0.045) / 0.06 * (b - a);
    if (t <= 0.15) return b + (t - 0.105) / 0.045 * (c - b);
    return c;
  };
  Vec3 v = Vec3::Zero();
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    v += 0.01 * 8 * force(0.01 * static_cast<double>(n));
    for (Index i = 0; i < 8; ++i)
      ASSERT_LT((tape.states[n].v.segment<3>(3 * i) - v).norm(), 1e-9) << "step " << n;
  }
}

// One force for all, each vertex with variables of its own: the same motion, 24 entries with a gradient.
TEST(NodalForce, PerVertexIsOneForAllWithAVariableForEach) {
  const auto one = make_simulation(cube("force: [1, 2, 3]")),
             each = make_simulation(cube("force: [1, 2, 3], per_vertex: true"));
  EXPECT_EQ(each->system().parameters().size(), one->system().parameters().size() + 21);
  Tape a, b;
  one->run(a, true);
  each->run(b, true);
  EXPECT_GT(a.states.back().v.norm(), 0.1);
  EXPECT_EQ(a.states.back().x, b.states.back().x);
}

TEST(NodalForce, OfOneKeyTimeIsConstant) {
  const auto constant = make_simulation(cube("force: [1, 2, 3]")),
             keyed = make_simulation(cube("key_times: 0.1, force: [1, 2, 3]"));
  Tape a, b;
  constant->run(a, true);
  keyed->run(b, true);
  EXPECT_GT(a.states.back().v.norm(), 0.1);
  EXPECT_EQ(a.states.back().x, b.states.back().x);
}

TEST(NodalForce, PassesTheGradientCheckInItsKeyValues) {
  const auto task = make_task(
      cube("nodes: {indices: [0, 1, 2]}, key_times: [0.02, 0.1, 0.15], force: {steps: [[0.1, 0, 0], [[0.2, "
           "0, 0], [0.2, 0, 0.1], [0.1, 0, 0.1]], [0.2, 0.1, 0]]}",
           "losses: [{loss: {type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.1, 0, "
           "0.2]}}]\n"),
      {"time={step: 0.03, steps: 6}"});
  EXPECT_GE(expect_gradients(*task, {"forces.push.force"}, 4), 3);
}

std::string error_of(const std::string& text) {
  try {
    make_simulation(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(NodalForce, SaysWhatIsWrong) {
  const auto expect = [](const std::string& options, const char* key, const char* message) {
    const std::string text = error_of(cube(options));
    EXPECT_THAT(text, ::testing::HasSubstr(key));
    EXPECT_THAT(text, ::testing::HasSubstr(message));
  };
  EXPECT_EQ(error_of(cube("force: [1, 0, 0]")), "no error");
  expect("force: [[1, 0, 0], [1, 0, 0]]", "forces.push.force", "one or 8 (a selected vertex each)");
  expect("force: {regions: {a: [1, 0, 0]}}", "forces.push.force", "per region");
  expect("force: {steps: [[0, 0, 0], [1, 0, 0]]}", "forces.push.force", "the scene has 20 steps");
  expect("key_times: [0, 1], force: [1, 0, 0]", "forces.push.key_times",
         "2 times given; force has 1 entries");
  expect("key_times: [1, 1], force: {steps: [[0, 0, 0], [1, 0, 0]]}", "forces.push.key_times",
         "not after the one before");
}

}  // namespace
}  // namespace resilin::test

// Bodies held by soft attachments: exact discrete oscillations, moving targets, gradients.
#include "tests/physics/statics.hpp"
#include "tests/support/gradcheck.hpp"

#include <complex>
#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A cube of 8 vertices without gravity; its vertices are drawn by `stiffness` each. Moved as a whole it does
/// not deform, so that it is a point of mass 1000 * 0.1^3 = 1 kg on a spring of 8 k.
std::string cube(const std::string& attachment, const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 20}}
gravity: [0, 0, 0]
bodies:
  cube:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 1000
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
energies:
  hold: {{type: attachment, {}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}}
backward: {{type: direct, relative_tolerance: 1e-13}}
{})",
                     attachment, rest);
}

// (x_n+1 - 2 x_n + x_n-1)/h^2 = -w^2 x_n+1 has the solutions (1 -+ i w h)^-n: the frequency atan(w h)/h and
// the damping (1 + w^2 h^2)^(-n/2) of implicit Euler.
TEST(Attachment, OscillatesAsImplicitEulerDoes) {
  const double k = 12.5, w = std::sqrt(8 * k), h = 0.01, start = 0.03;
  const auto sim = make_simulation(cube(fmt::format("stiffness: {}, offset: [{}, 0, 0]", k, -start)));
  Tape tape;
  sim->run(tape, true);
  // Offset by -start and at rest: the motion about the target has x_0 = start and x_-1 = x_0.
  const std::complex<double> r = 1.0 / std::complex<double>(1, -w * h);
  // a r^n + conj, with x_0 = start and x_0 - x_-1 = 0.
  const std::complex<double> one(1, 0), slope = one - one / r;
  const double b = slope.real() / slope.imag() * start;
  const std::complex<double> amplitude(start, b);
  for (std::size_t n = 0; n < tape.states.size(); ++n) {
    const double expected = (amplitude * std::pow(r, static_cast<double>(n))).real() - start;
    for (Index i = 0; i < 8; ++i) {
      const Vec3 moved = tape.states[n].x.segment<3>(3 * i) - tape.states[0].x.segment<3>(3 * i);
      ASSERT_NEAR(moved.x(), expected, 1e-10) << "step " << n;
      ASSERT_NEAR(moved.tail<2>().norm(), 0, 1e-10);
    }
  }
  EXPECT_LT(tape.states.back().x[0], -start);  // past the target: a good part of a period was seen
}

TEST(Attachment, FrequencyApproachesSqrtOfStiffnessOverMass) {
  // Time of the first passage through the target, a quarter of a period.
  const double k = 12.5, w = std::sqrt(8 * k), start = 0.03;
  std::vector<double> error;
  for (const double h : {0.002, 0.001}) {
    const auto sim =
        make_simulation(cube(fmt::format("stiffness: {}, offset: [{}, 0, 0]", k, -start)),
                        {fmt::format("time={{step: {}, steps: {}}}", h, static_cast<int>(0.2 / h))});
    Tape tape;
    sim->run(tape, true);
    std::size_t n = 0;
    while (tape.states[n + 1].x[0] > -start) ++n;
    const double before = tape.states[n].x[0] + start, after = tape.states[n + 1].x[0] + start;
    const double time = h * (static_cast<double>(n) + before / (before - after));
    error.push_back(time * w / (M_PI / 2) - 1);
  }
  EXPECT_LT(std::abs(error[1]), 0.01);
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);  // atan(w h)/h: second order in the step
}

TEST(Attachment, FollowsItsKeyFrames) {
  // Stiff enough to be where the target is; key frames in metres from the origin for one vertex each.
  const auto sim =
      make_simulation(cube("stiffness: 1e9, key_times: [0.05, 0.1, 0.15], offset: {steps: [[0, 0, "
                           "0], [0.02, 0, 0], [0.02, 0.01, 0]]}"));
  Tape tape;
  sim->run(tape, true);
  const auto moved = [&](std::size_t n) -> Vec3 {
    return tape.states[n].x.head<3>() - tape.states[0].x.head<3>();
  };
  EXPECT_LT((moved(3) - Vec3(0, 0, 0)).norm(), 1e-6) << "before the first key";
  EXPECT_LT((moved(7) - Vec3(0.008, 0, 0)).norm(), 1e-6) << "between two keys";
  EXPECT_LT((moved(10) - Vec3(0.02, 0, 0)).norm(), 1e-6) << "at a key";
  EXPECT_LT((moved(12) - Vec3(0.02, 0.004, 0)).norm(), 1e-6);
  EXPECT_LT((moved(20) - Vec3(0.02, 0.01, 0)).norm(), 1e-6) << "after the last key";
}

TEST(Attachment, OffsetsFromTheOriginArePlaces) {
  const auto sim =
      make_simulation(cube("stiffness: 1e9, nodes: {indices: [0, 7]}, relative_to: origin, offset: [[0.01, "
                           "0, 0], [0.1, 0.1, 0.12]]"));
  Tape tape;
  sim->run(tape, true);
  EXPECT_LT((tape.states.back().x.head<3>() - Vec3(0.01, 0, 0)).norm(), 1e-6);
  EXPECT_LT((tape.states.back().x.tail<3>() - Vec3(0.1, 0.1, 0.12)).norm(), 1e-6);
}

TEST(Attachment, StretchesABarLikeASpringInSeries) {
  // Stiffness of the bar E A/L = 1e5 * 0.01/0.1 = 1e4 N/m (nu = 0), of the attachment 4 k.
  const auto sim = make_simulation(
      cube("stiffness: 2500, nodes: {box: {min: [0.1, 0, 0], max: [0.1, 0.1, 0.1]}}, offset: [2e-6, 0, 0]",
           ""),
      {"bodies.cube.pins=[{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]",
       "bodies.cube.materials=[{type: linear_elastic, youngs_modulus: 1e5, poissons_ratio: 0}]",
       "forward={type: newton, relative_tolerance: 0, absolute_tolerance: 1e-13}"});
  const VecX x = settle(*sim, 1, 4);
  EXPECT_NEAR(x[3 * 7] - 0.1, 1e-6, 1e-11);
}

TEST(Attachment, PassesTheGradientCheck) {
  const auto task = make_task(
      cube("stiffness: [20, 30, 25, 35], nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}, key_times: "
           "[0.02, "
           "0.1, "
           "0.15], offset: {steps: [[0, 0, 0], [[0.02, 0, 0], [0.02, 0, 0], [0.01, 0, 0.01], [0, 0, 0]], "
           "[0.02, "
           "0.01, 0]]}",
           "losses: [{loss: {type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.01, 0, "
           "0.02]}}]\n"),
      {"time={step: 0.03, steps: 6}"});
  expect_gradients(*task,
                   {"energies.hold.stiffness", "energies.hold.offset", "bodies.cube.initial.velocity"});
}

TEST(Attachment, EverySolverFindsTheSameMotion) {
  const std::string scene = cube("stiffness: 500, nodes: {indices: [0, 1]}, offset: [0.02, 0.01, 0]");
  Tape exact;
  make_simulation(scene)->run(exact, true);
  for (const char* forward : {"pd", "pd_newton_krylov"}) {
    Tape tape;
    make_simulation(
        scene,
        {fmt::format("forward={{type: {}, relative_tolerance: 1e-11, max_iterations: 20000}}", forward)})
        ->run(tape, true);
    EXPECT_LE((tape.states.back().x - exact.states.back().x).cwiseAbs().maxCoeff(), 1e-8) << forward;
  }
}

std::string error_of(const std::string& text) {
  try {
    make_simulation(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Attachment, SaysWhatIsWrong) {
  const auto expect = [](const std::string& options, const char* key, const char* message) {
    const std::string text = error_of(cube(options));
    EXPECT_THAT(text, ::testing::HasSubstr(key));
    EXPECT_THAT(text, ::testing::HasSubstr(message));
  };
  EXPECT_EQ(error_of(cube("stiffness: 1")), "no error");
  expect("body: cub", "energies.hold.body", "did you mean 'cube'");
  expect("nodes: {sphere: {center: [9, 9, 9], radius: 1}}", "energies.hold.nodes", "matches no vertex");
  expect("stiffness: [1, 2]", "energies.hold.stiffness", "one or 8");
  expect("stiffness: {steps: [1, 2]}", "energies.hold.stiffness", "cannot change from step to step");
  expect("stiffness: {regions: {a: 1}}", "energies.hold.stiffness", "per region");
  expect("offset: {steps: [[0, 0, 0], [1, 0, 0]]}", "energies.hold.offset", "the scene has 20 steps");
  expect("key_times: [0, 1]", "energies.hold.key_times", "2 times given; offset has 1 entries");
  expect("key_times: [1, 1], offset: {steps: [[0, 0, 0], [1, 0, 0]]}", "energies.hold.key_times",
         "not after the one before");
}

}  // namespace
}  // namespace resilin::test

// The apex after a bounce of a body that is simulated.
#include "tests/support/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <cmath>

namespace resilin::test {
namespace {

const char* const kBall = R"(
time: {step: 0.005, steps: 60}
bodies:
  ball:
    mesh: {generator: {type: box, size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}
    density: 1000
    materials: [{type: corotated, E: 2e5, nu: 0.4}, {type: volume, E: 2e5, nu: 0.4}]
    initial: {translation: [0, 0, 0.05], rotation: [0.1, 0.2, 0], velocity: [0.4, 0.3, -2]}
colliders:
  ground: {type: plane}
contacts: [{type: complementarity}]
forward: {relative_tolerance: 1e-11}
backward: {relative_tolerance: 1e-12}
losses: [{loss: {type: bounce_apex, bounces: 1, target: [0.3, 0.5, 0.2]}}]
)";

TEST(Bounce, TheApexOfAFlightIsThatOfTheParabola) {
  const auto task = make_task(
      kBall, {"contacts=[]", "time.step=0.001", "time.steps=250", "bodies.ball.initial.velocity=[0.4, 0, 2]",
              "losses[0].loss={type: bounce_apex, bounces: 0, target: [0, 0, 0], axes: [z]}"});
  const double apex = std::sqrt(2 * task->loss_of_table());
  // Implicit Euler loses v h / 2 of the height v^2 / 2g above the centre's start at 0.1 m.
  EXPECT_NEAR(apex, 0.1 + 2 * 2 / (2 * 9.81) - 0.001, 2e-6);
}

TEST(Bounce, ItsApexHasGradientsThroughTheContact) {
  const auto task = make_task(kBall);
  expect_gradients(*task, {"bodies.ball.initial.velocity", "bodies.ball.materials[0].youngs_modulus",
                           "bodies.ball.density", "gravity"});
}

TEST(Bounce, WithoutOneTheSimulationIsNotAdmissible) {
  const auto task = make_task(kBall, {"time.steps=5"});
  try {
    (void)task->loss_of_table();
    ADD_FAILURE() << "an apex without a bounce";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_NE(std::string(e.what()).find("no apex after bounce 1: 0 bounces in 5 steps"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace resilin::test

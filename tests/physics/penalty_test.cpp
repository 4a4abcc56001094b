// Contact by penalty forces: closed forms of rest, bounce, sliding and creep, its limits, gradients.
#include "core/solve/simulation.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

constexpr double kGravity = 9.81;

/// A cube of 1 kg. All of its eight nodes have the same mass and touch alike, the lower ones the ground and
/// the upper ones a second plane above it, so that it moves as one point of m/8 would.
std::string point(const std::string& penalty) {
  return fmt::format(R"(
time: {{step: 0.001, steps: 100}}
gravity: [0, 0, 0]
bodies:
  cube:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 1000
    mass: lumped
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
colliders:
  ground: {{type: plane}}
  shelf: {{type: plane, position: [0, 0, 0.1]}}
contacts:
  - {{type: penalty, colliders: [ground], nodes: {{box: {{min: [-1, -1, -1], max: [1, 1, 0.05]}}}}, {0}}}
  - {{type: penalty, colliders: [shelf], nodes: {{box: {{min: [-1, -1, 0.05], max: [1, 1, 1]}}}}, {0}}}
forward: {{type: newton, relative_tolerance: 1e-12, absolute_tolerance: 1e-9}}
)",
                     penalty);
}

Tape run(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  Tape tape;
  make_simulation(scene, overrides)->run(tape, true);
  return tape;
}

/// Displacement of all nodes from the start, which must be one.
Vec3 shift(const Tape& tape, std::size_t step) {
  const Mat3X d = as_columns(tape.states[step].x) - as_columns(tape.states[0].x);
  const Vec3 mean = d.rowwise().mean();
  EXPECT_LT((d.colwise() - mean).cwiseAbs().maxCoeff(), 1e-10) << "the cube changes its shape";
  return mean;
}

class PenaltyScheme : public ::testing::TestWithParam<std::string> {};

// Each of the four lower nodes carries a quarter of the weight: k d^(p-1) = m g/4.
TEST_P(PenaltyScheme, AMassAtRestSinksByItsWeight) {
  for (const double power : {2.0, 2.5, 3.0}) {
    const double k = power == 2 ? 1e4 : 1e5;
    const Tape tape =
        run(point(fmt::format("scheme: {}, power: {}, stiffness: {}", GetParam(), power, k)),
            {"gravity=[0, 0, -9.81]", "bodies.cube.damping={mass: 100}", "time.steps=1000",
             fmt::format("contacts=[{{type: penalty, colliders: [ground], scheme: {}, power: {}, stiffness: "
                         "{}}}]",
                         GetParam(), power, k)});
    const double depth = std::pow(0.25 * kGravity / k, 1 / (power - 1));
    const VecX& x = tape.states.back().x;
    for (Index i = 0; i < 8; ++i)
      if (x[3 * i + 2] < 0.05) {
        EXPECT_NEAR(x[3 * i + 2], -depth, 1e-8) << power;
      }
  }
}

// A mass on a spring that only pushes: step by step as the scheme says, and in the end the bounce of the
// oscillator, which implicit steps damp by exp(-pi w h/2) in the half period and explicit ones do not.
TEST_P(PenaltyScheme, ABounceIsHalfAPeriodOfAnOscillator) {
  const double k = 50, m = 0.125, h = 1e-3, w = std::sqrt(k / m);
  const Tape tape = run(point("friction: 0, stiffness: 50, scheme: " + GetParam()),
                        {"bodies.cube.initial={velocity: [0, 0, -0.5]}", "time.steps=200"});
  double z = 0, v = -0.5;
  Index in_contact = 0;
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    const double free = z + h * v;
    const double next = GetParam() == "implicit" ? (free < 0 ? free / (1 + w * w * h * h) : free)
                                                 : free - h * h * w * w * std::min(z, 0.0);
    v = (next - z) / h;
    z = next;
    in_contact += z < 0 ? 1 : 0;
    ASSERT_NEAR(shift(tape, n).z(), z, 1e-10) << "step " << n;
  }
  EXPECT_NEAR(static_cast<double>(in_contact) * h, M_PI / w, 3 * h);
  const double damped = GetParam() == "implicit" ? std::exp(-0.5 * M_PI * w * h) : 1;
  EXPECT_NEAR(v, 0.5 * damped, 0.5 * 5 * w * w * h * h);
}

/// On a slope of 20 degrees, as gravity that leans. The cube starts as deep as its weight presses it.
std::vector<std::string> on_slope(double k, double velocity) {
  const double a = 20 * M_PI / 180;
  return {fmt::format("gravity=[{:.17g}, 0, {:.17g}]", kGravity * std::sin(a), -kGravity * std::cos(a)),
          fmt::format("bodies.cube.initial={{velocity: [{:.17g}, 0, 0], translation: [0, 0, {:.17g}]}}",
                      velocity, -kGravity * std::cos(a) / (8 * k))};
}

// x_n = n h v_0 + a h^2 n (n + 1)/2, a = g (sin - mu cos).
TEST_P(PenaltyScheme, ABlockSlidesDownASlopeByCoulombsLaw) {
  const double a = 20 * M_PI / 180, mu = 0.2, h = 1e-3;
  const Tape tape =
      run(point("stiffness: 1e3, friction: 0.2, friction_stiffness: 1e3, scheme: " + GetParam()),
          on_slope(1e3, 0.1));
  const double acceleration = kGravity * (std::sin(a) - mu * std::cos(a));
  for (const std::size_t n : {1u, 50u, 100u}) {
    const auto steps = static_cast<double>(n);
    EXPECT_NEAR(shift(tape, n).x(), steps * h * 0.1 + acceleration * h * h * steps * (steps + 1) / 2, 1e-9);
    EXPECT_NEAR(shift(tape, n).z(), 0, 1e-9);
  }
}

// What ought to stick creeps at |f_t|/k_f.
TEST_P(PenaltyScheme, ABlockThatSticksCreeps) {
  const double a = 20 * M_PI / 180, creep = kGravity * std::sin(a) / 8 / 50;
  const Tape tape = run(point("stiffness: 1e3, friction: 0.5, friction_stiffness: 50, scheme: " + GetParam()),
                        on_slope(1e3, creep));
  EXPECT_NEAR(shift(tape, 100).x(), 0.1 * creep, 1e-10);
}

// Friction works against the motion relative to the collider's material: v - V shrinks by a constant factor.
TEST_P(PenaltyScheme, ABeltTakesABlockAlong) {
  auto overrides = on_slope(1e3, 0);
  overrides[0] = fmt::format("gravity=[0, 0, {:.17g}]", -kGravity * std::cos(20 * M_PI / 180));
  for (const char* collider : {"ground", "shelf"})
    overrides.push_back(
        fmt::format("colliders.{}.motion={{type: rigid_motion, velocity: [0.01, 0.02, 0]}}", collider));
  const Tape tape =
      run(point("stiffness: 1e3, friction: 10, friction_stiffness: 2, scheme: " + GetParam()), overrides);
  const double r = 2 * 1e-3 / 0.125, factor = GetParam() == "implicit" ? 1 / (1 + r) : 1 - r;
  for (const std::size_t n : {1u, 10u, 100u}) {
    const Vec3 v = as_columns(tape.states[n].v).rowwise().mean();
    const double reached = 1 - std::pow(factor, static_cast<double>(n));
    EXPECT_LT((v - reached * Vec3(0.01, 0.02, 0)).norm(), 1e-8) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, PenaltyScheme, ::testing::Values("implicit", "explicit"),
                         [](const auto& p) { return p.param; });

/// A block of 3 x 2 x 2 elements that falls on what the overrides say.
const char* const kBlock = R"(
time: {step: 0.004, steps: 30}
bodies:
  block:
    mesh: {generator: {type: box, size: [0.3, 0.2, 0.2], cells: [3, 2, 2]}}
    density: 1000
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]
    initial: {translation: [0, 0, 0.01], angular_velocity: [0.4, 1, 0.2], velocity: [0.3, 0.1, -0.5]}
colliders:
  ground: {type: plane, rotation: [0.1, 0.05, 0]}
contacts: [{type: penalty, stiffness: 3e3, friction: 0.3, friction_stiffness: 20}]
losses:
  - {loss: {type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}
  - {loss: {type: kinetic_energy}}
forward: {relative_tolerance: 1e-12}
backward: {relative_tolerance: 1e-12}
)";

VecX last(const std::vector<std::string>& overrides) {
  return run(kBlock, overrides).states.back().x;
}

TEST(Penalty, AllSolversAgree) {
  const VecX expected = last({"forward={type: newton, relative_tolerance: 1e-12}"});
  for (const char* forward : {"newton_pcg", "pd_newton_krylov", "pd_lbfgs", "pd_anderson", "pd"})
    EXPECT_LT((last({fmt::format("forward={{type: {}, relative_tolerance: 1e-11, max_iterations: 20000}}",
                                 forward)}) -
               expected)
                  .norm(),
              1e-7)
        << forward;
}

// Signorini's conditions are the limit of a stiff spring; what is left is the depth, which goes with 1/k.
TEST(Penalty, TendsToSignorinisConditionsAsTheStiffnessGrows) {
  const std::string fall =
      "bodies.block.initial={translation: [0, 0, 0.05], angular_velocity: [0.4, 1, 0.2], velocity: "
      "[0.3, 0.1, -0.9]}";
  const VecX expected = last({"contacts=[{type: dry_friction, friction: 0}]", fall});
  std::vector<double> error;
  for (const double k : {1e6, 4e6, 16e6})
    error.push_back(
        (last({fmt::format("contacts=[{{type: penalty, friction: 0, stiffness: {}}}]", k), fall}) - expected)
            .norm());
  EXPECT_GT(error[0], 1e-4) << "hardly any contact";
  for (const std::size_t i : {1u, 2u}) EXPECT_NEAR(std::log(error[i - 1] / error[i]) / std::log(4), 1, 0.1);
}

std::vector<std::string> with_laws(std::vector<std::string> overrides, const std::string& law) {
  for (const int k : {0, 1})
    overrides.push_back(
        fmt::format("contacts[{}]={{type: {}, colliders: [{}], nodes: {{box: {{min: [-1, -1, "
                    "{}], max: [1, 1, {}]}}}}, initial_penetration: push_out}}",
                    k, law, k == 0 ? "ground" : "shelf", k == 0 ? -1.0 : 0.05, k == 0 ? 0.05 : 1.0));
  return overrides;
}

// Under a constant normal force it slides as Coulomb's law has it, and sticks in the limit of a large k_f.
TEST(Penalty, TendsToDryFrictionAsTheFrictionStiffnessGrows) {
  const auto way = [&](double friction, double kf) {
    return shift(run(point(fmt::format("stiffness: 1e3, friction: {}, friction_stiffness: {}", friction, kf)),
                     on_slope(1e3, 0)),
                 100)
        .x();
  };
  const auto law = [&](const std::string& type) {  // which starts on the surface
    return shift(run(point(""), with_laws(on_slope(1e15, 0), type)), 100).x();
  };
  const double sticking = law("complementarity"), sliding = law("dry_friction, friction: 0.2");
  std::vector<double> error;
  for (const double kf : {400.0, 1600.0, 6400.0}) {
    error.push_back(std::abs(way(0.5, kf) - sticking));
    EXPECT_NEAR(way(0.2, kf), sliding, 1e-9);
  }
  EXPECT_GT(sliding, 0.007);
  for (const std::size_t i : {1u, 2u}) EXPECT_NEAR(std::log(error[i - 1] / error[i]) / std::log(4), 1, 0.1);
}

// Friction of a step looks at the normal force of its start: an error that goes with the step, also of second
// order schemes.
TEST(Penalty, LaggedFrictionIsOfFirstOrder) {
  for (const char* integrator : {"implicit_euler", "bdf2"}) {
    const auto at = [&](int refine) {
      return run(point("stiffness: 200, friction: 0.4, friction_stiffness: 1e3"),
                 {"bodies.cube.initial={velocity: [2, 0, 0]}", "gravity=[0, 0, -9.81]",
                  fmt::format("time={{step: {}, steps: {}}}", 0.004 / refine, 25 * refine),
                  fmt::format("integrator={}", integrator)})
          .states.back()
          .x;
    };
    const VecX x1 = at(1), x2 = at(2), x4 = at(4);
    EXPECT_NEAR(std::log2((x1 - x2).norm() / (x2 - x4).norm()), 1, 0.35) << integrator;
  }
}

// Held upright, a block sinks to the same depth by a potential alone.
TEST(Penalty, QuasiStaticStepsRestOnIt) {
  for (const double power : {2.0, 3.0}) {
    const Tape tape =
        run(point(fmt::format("power: {}, stiffness: 1e4", power)),
            {"gravity=[0, 0, -9.81]", "integrator=quasi_static", "time={step: 0.01, steps: 3}",
             "bodies.cube.pins=[{nodes: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}, axes: [x, y]}]",
             "bodies.cube.initial={translation: [0, 0, -0.001]}"});
    const double depth = std::pow(kGravity / 8 / 1e4, 1 / (power - 1));
    EXPECT_NEAR(shift(tape, 3).z(), 0.001 - depth, 1e-9);
  }
}

Index expect_block_gradients(const std::vector<std::string>& overrides, std::vector<std::string> more = {}) {
  std::vector<std::string> paths = {"contacts[0].stiffness",
                                    "contacts[0].friction_stiffness",
                                    "contacts[0].friction",
                                    "bodies.block.density",
                                    "bodies.block.materials[0].youngs_modulus",
                                    "bodies.block.initial.velocity",
                                    "bodies.block.initial.angular_velocity",
                                    "bodies.block.initial.displacements",
                                    "bodies.block.initial.velocities",
                                    "gravity",
                                    "colliders.ground.position"};
  paths.insert(paths.end(), more.begin(), more.end());
  return expect_gradients(*make_task(kBlock, overrides), paths);
}
const std::string kCubic = ", power: 3, stiffness: 3e5, friction: 0.3, friction_stiffness: 20}]";

TEST_P(PenaltyScheme, GradientsGoThroughContactWithAPlane) {
  expect_block_gradients({"contacts=[{type: penalty, scheme: " + GetParam() + kCubic},
                         {"colliders.ground.rotation"});
}
TEST_P(PenaltyScheme, GradientsGoThroughContactWithASphere) {
  expect_block_gradients({"contacts=[{type: penalty, scheme: " + GetParam() + kCubic,
                          "colliders.ground={type: sphere, position: [0.1, 0.1, -0.5], radius: 0.5}"},
                         {"colliders.ground.radius"});
}
TEST_P(PenaltyScheme, GradientsGoThroughContactWithASpring) {
  expect_block_gradients({"contacts=[{type: penalty, stiffness: 3e3, friction: 0.3, friction_stiffness: 20, "
                          "scheme: " +
                          GetParam() + "}]"},
                         {"colliders.ground.rotation"});
}
TEST_P(PenaltyScheme, GradientsGoThroughContactBySecondOrderSteps) {
  expect_block_gradients({"contacts=[{type: penalty, scheme: " + GetParam() + kCubic, "integrator=bdf2"},
                         {"colliders.ground.rotation"});
}
TEST_P(PenaltyScheme, GradientsGoThroughContactWithAColliderThatTurns) {
  expect_block_gradients(
      // Of order four, so that differences are of their own order also where a node begins to touch.
      {"contacts=[{type: penalty, scheme: " + GetParam() +
           ", power: 4, stiffness: 3e7, friction: 0.3, friction_stiffness: 20}]",
       "colliders.ground={type: sphere, position: [0.1, 0.1, -0.5], radius: 0.5, motion: {type: "
       "rigid_motion, velocity: [0.1, 0.2, 0.3], rotation: {axis: [1, 2, -1], point: [0.2, 0, -0.5], rate: "
       "2}}}",
       "backward={type: direct, relative_tolerance: 1e-12}"},
      {"colliders.ground.radius", "colliders.ground.motion.velocity",
       "colliders.ground.motion.rotation.rate"});
}
TEST(Penalty, GradientsGoThroughItBesideALawOnOtherNodes) {
  const auto task = make_task(
      kBlock,
      {"time.steps=12", "contacts=[{type: penalty, nodes: {box: {min: [-1, -1, -1], max: [0.05, 1, 1]}}" +
                            kCubic.substr(0, kCubic.size() - 1) +
                            ", {type: complementarity, initial_penetration: push_out, nodes: {box: "
                            "{min: [0.05, -1, -1], max: [1, 1, 1]}}}]"});
  expect_gradients(*task, {"contacts[0].stiffness", "contacts[0].friction_stiffness", "contacts[0].friction",
                           "bodies.block.initial.velocity", "colliders.ground.position"});
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    run(kBlock, overrides);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Penalty, MistakesAreNamed) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(error_of({"contacts=[{type: penalty, stiffness: -1}]"}), HasSubstr("stiffness"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, friction: -1}]"}), HasSubstr("friction"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, power: 1}]"}), HasSubstr("power"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, scheme: semi}]"}), HasSubstr("explicit"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, colliders: [groud]}]"}), HasSubstr("no collider 'groud'"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, body: blok}]"}), HasSubstr("no body 'blok'"));
  EXPECT_THAT(error_of({"contacts=[{type: penalty, scheme: explicit}]", "integrator=quasi_static"}),
              AllOf(HasSubstr("integrator quasi_static knows no contact"), HasSubstr("scheme: implicit")));
  const auto sim = make_simulation(kBlock);
  VecX theta = sim->system().parameters().values();
  theta[sim->system().parameters().find("contacts[0].stiffness").front()->offset] = -1;
  EXPECT_THROW(sim->system().set_parameters(theta), Error);
}

}  // namespace
}  // namespace resilin::test

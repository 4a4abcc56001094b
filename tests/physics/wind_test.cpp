// Wind: the published force on every vertex, and drag and lift on faces. Closed forms, terminal velocity,
// momentum, gradients.
#include "core/control/tanh_network.hpp"
#include "core/params/io.hpp"
#include "core/solve/simulation.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

std::unique_ptr<Force> made(const std::string& type, const SampleBody& body, const std::string& options) {
  ComponentSpec spec;
  spec.type = type;
  spec.options = registry().make_options("force", type);
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree("{" + options + "}", "options"), [&](ParamVisitor& v) { spec.options->visit(v); },
      registry(), diagnostics, places);
  diagnostics.throw_if_any();
  return registry().make<Force>(spec, body.context());
}

/// Two triangles that are the unit square in the x-y plane.
Mesh square() {
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, 4);
  mesh.vertices << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  mesh.elements.resize(3, 2);
  mesh.elements << 0, 0, 1, 2, 2, 3;
  return mesh;
}
VecX everywhere(const Vec3& v, const VecX& x) {
  return v.replicate(x.size() / 3, 1);
}
Vec3 total(const Force& force, const VecX& x, const VecX& v) {
  VecX f = VecX::Zero(x.size());
  force.add_force({0.01, 0.01, 0}, x, v, f);
  return as_columns(f).rowwise().sum();
}

TEST(Wind, APlateHasTheDragAndTheLiftOfItsAngle) {
  const SampleBody body(square());
  const VecX x = body.mesh.vertices.reshaped();
  const auto force = made("wind", body, "density: 1.5, drag: 1.2, lift: 0.7");
  for (const double angle : {-1.4, -0.3, 0.0, 0.2, 0.9, 0.5 * M_PI}) {
    // Through air at rest, so that the flow is against the velocity; angle between flow and plate.
    const Vec3 flow = 3 * Vec3(std::cos(angle), 0, std::sin(angle)),
               f = total(*force, x, everywhere(-flow, x));
    const Vec3 across(-std::sin(angle), 0, std::cos(angle));
    const double pressure = 0.5 * 1.5 * 9;
    EXPECT_NEAR(f.dot(flow) / 3, pressure * 1.2 * std::pow(std::sin(angle), 2), 1e-13) << angle;
    EXPECT_NEAR(f.dot(across), pressure * 0.7 * std::sin(angle) * std::cos(angle), 1e-13) << angle;
    EXPECT_NEAR(f.y(), 0, 1e-13);
  }
  // Air that moves is the same as a plate that moves the other way.
  const auto blown = made("wind", body, "density: 1.5, drag: 1.2, lift: 0.7, velocity: [1, 2, 3]");
  EXPECT_LT(
      (total(*blown, x, everywhere({0, 0, 0}, x)) - total(*force, x, everywhere({-1, -2, -3}, x))).norm(),
      1e-13);
}

TEST(Wind, DoesNotSeeWhichSideIsOutsideTurnsWithTheBodyAndNeverDrives) {
  const SampleBody body(distorted_mesh({2, 2, 2}, ElementType::Tri3));
  SampleBody turned_over(body.mesh);
  turned_over.mesh.elements.row(0).swap(turned_over.mesh.elements.row(1));
  const VecX x = body.mesh.vertices.reshaped();
  const auto force = made("wind", body, "drag: 1.1, lift: 2"),
             other = made("wind", turned_over, "drag: 1.1, lift: 2");
  const Mat3 turn = Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX v = random_vector(x.size(), seed);
    const Vec3 f = total(*force, x, v), g = random_vector(3, seed);
    EXPECT_LT((total(*other, x, v) - f).norm(), 1e-13 * f.norm());
    const VecX tx = (turn * as_columns(x)).reshaped(), tv = (turn * as_columns(v)).reshaped();
    EXPECT_LT((total(*force, tx, tv) - turn * f).norm(), 1e-12 * f.norm());
    EXPECT_LT(total(*force, x, everywhere(g, x)).dot(g), 0) << "power of the force of air at rest";
  }
}

TEST(Wind, HasNoForceAndNoDerivativeWithoutRelativeVelocity) {
  const SampleBody body(distorted_mesh({2, 2, 2}, ElementType::Tri3));
  const VecX x = body.mesh.vertices.reshaped(), v = everywhere({0.5, -1, 2}, x),
             z = random_vector(x.size(), 3);
  const auto force = made("wind", body, "velocity: [0.5, -1, 2]");
  VecX f = VecX::Zero(x.size()), dx = f, dv = f, dtheta = VecX::Zero(force->num_parameters());
  force->add_force({}, x, v, f);
  force->add_vjp({}, x, v, z, dx, dv, dtheta);
  EXPECT_TRUE(f.isZero(0) && dx.isZero(0) && dv.isZero(0) && dtheta.isZero(0));
  // And both are continuous there: of second and first order.
  const VecX away = random_vector(x.size(), 4);
  const auto size = [&](double s) {
    VecX force_at = VecX::Zero(x.size()), slope = force_at, unused = force_at, theta = dtheta;
    force->add_force({}, x, v + s * away, force_at);
    force->add_vjp({}, x, v + s * away, z, unused, slope, theta);
    return std::pair(force_at.norm(), slope.norm());
  };
  const auto [f1, s1] = size(1e-3);
  const auto [f2, s2] = size(1e-5);
  ASSERT_GT(f1, 0);
  EXPECT_NEAR(f1 / f2, 1e4, 1);
  EXPECT_NEAR(s1 / s2, 1e2, 1e-2);
}

TEST(Wind, PullsBackThroughAWindFieldOfANetwork) {
  const SampleBody body(distorted_mesh({2, 2, 2}, ElementType::Tri3));
  const VecX x = body.mesh.vertices.reshaped(), v = random_vector(x.size(), 5),
             z = random_vector(x.size(), 6);
  const auto force =
      made("wind", body,
           "velocity: [1, 0.5, -0.2], network: {hidden: [5, 4], speed: 3, center: [0.1, 0, 0], "
           "length: 0.1, time: 0.02, seed: 7}");
  ParameterTable table;
  table.add("force", [&](ParamVisitor& p) { force->visit_parameters(p); });
  ASSERT_EQ(table.size(), force->num_parameters());
  ASSERT_EQ(table.size(), 3 + 3 + (5 * 5 + 6 * 4 + 5 * 3));
  const VecX theta = table.values();
  const StepContext c{0.05, 0.01, 2};
  const auto work = [&](const VecX& at_x, const VecX& at_v, const VecX& at_theta) {
    table.assign(at_theta);
    VecX f = VecX::Zero(x.size());
    force->add_force(c, at_x, at_v, f);
    return z.dot(f);
  };
  VecX dx = VecX::Zero(x.size()), dv = dx, dtheta = VecX::Zero(theta.size());
  force->add_vjp(c, x, v, z, dx, dv, dtheta);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const VecX p = random_vector(x.size(), 20 + seed).normalized(),
               q = random_vector(theta.size(), 30 + seed).normalized();
    EXPECT_LT(
        difference_gap([&](double s) { return work(x + s * p, v, theta); }, dx.dot(p), 1e-3, 0.1 * dx.norm()),
        1e-8);
    EXPECT_LT(
        difference_gap([&](double s) { return work(x, v + s * p, theta); }, dv.dot(p), 1e-2, 0.1 * dv.norm()),
        1e-8);
    EXPECT_LT(difference_gap([&](double s) { return work(x, v, theta + s * q); }, dtheta.dot(q), 1e-2,
                             0.1 * dtheta.norm()),
              1e-8);
  }
  // The field changes in time, and starts at the start of the step.
  const auto at = [&](double time) {
    VecX f = VecX::Zero(x.size());
    force->add_force({time, 0.01, 0}, x, v, f);
    return f;
  };
  EXPECT_GT((at(0.05) - at(0.06)).norm(), 1e-3 * at(0.05).norm());
}

/// A sheet that falls flat: each vertex has the same share of mass and force, so that nothing deforms it.
const char* const kPlate = R"(
time: {step: 0.01, steps: 150}
bodies:
  plate:
    mesh: {generator: {type: grid, size: [0.4, 0.3], cells: [4, 3]}}
    density: 2
    materials: [{type: membrane_neo_hookean, youngs_modulus: 1e5}]
forces:
  air: {type: wind, density: 1.2, drag: 1.3}
forward: {type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}
)";

// m dv/dt = m g - rho/2 A C_D v^2: v_n+1 = v_n + h g (1 - v_n^2/v_t^2), and in the end v_t^2 = 2 m g/(rho A
// C_D).
TEST(Wind, APlateFallsWithItsTerminalVelocity) {
  Tape tape;
  make_simulation(kPlate, {"time.steps=300"})->run(tape, true);
  const double limit = std::sqrt(2 * 2 * 9.81 / (1.2 * 1.3));
  double v = 0;
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    v += 0.01 * 9.81 * (1 - v * v / (limit * limit));
    for (Index i = 0; i < tape.states[n].v.size() / 3; ++i)
      ASSERT_LT((tape.states[n].v.segment<3>(3 * i) - Vec3(0, 0, -v)).norm(), 1e-9) << "step " << n;
  }
  EXPECT_NEAR(v, limit, 1e-4 * limit) << "not there yet";
}

// In an updraught of the terminal velocity it hovers.
TEST(Wind, APlateHoversInAnUpdraught) {
  const double limit = std::sqrt(2 * 2 * 9.81 / (1.2 * 1.3));
  Tape tape;
  make_simulation(kPlate, {fmt::format("forces.air.velocity=[0, 0, {:.17g}]", limit)})->run(tape, true);
  EXPECT_LT(tape.states.back().v.norm(), 1e-9);
}

TEST(Wind, GradientsGoThroughAFlappingFlag) {
  const auto task = make_task(R"(
time: {step: 0.01, steps: 12}
gravity: [0, 0, 0]
signals:
  gust: {type: sinusoid, amplitude: 2, frequency: 4, offset: 3}
bodies:
  flag:
    mesh: {generator: {type: grid, size: [0.4, 0.3], cells: [4, 3]}}
    density: 0.2
    materials: [{type: membrane_neo_hookean, youngs_modulus: 100}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.3, 0]}}}]
    initial: {displacements: {steps: [[0, 0, 0]]}}
forces:
  air:
    type: wind
    velocity: {signal: gust, scale: [1, 0.1, 0.4]}
    network: {hidden: [6], speed: 0.5, length: 0.3, time: 0.1}
losses: [{loss: {type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}]
forward: {type: newton, relative_tolerance: 1e-12}
backward: {relative_tolerance: 1e-12}
)",
                              {"bodies.flag.initial={}"});
  expect_gradients(*task,
                   {"forces.air.density", "forces.air.drag", "forces.air.lift", "forces.air.network.weights",
                    "signals.gust.amplitude", "signals.gust.frequency", "bodies.flag.initial.velocity",
                    "bodies.flag.initial.displacements"},
                   3);
}

TEST(Wind, MistakesAreNamed) {
  using ::testing::HasSubstr;
  const auto error = [](const std::string& options) -> std::string {
    try {
      make_simulation(kPlate, {"forces.air={" + options + "}"});
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(error("type: wind, drag: -1"), HasSubstr("drag"));
  EXPECT_THAT(error("type: wind, velocity: {steps: [[1, 0, 0], [2, 0, 0]]}"),
              HasSubstr("the scene has 150 steps"));
  EXPECT_THAT(error("type: wind, velocity: [[1, 0, 0], [2, 0, 0]]"), HasSubstr("one velocity is expected"));
  EXPECT_THAT(error("type: wind, network: {hidden: [2], weights: [1, 2]}"),
              HasSubstr("2 numbers given; layers of 4, 2, 3 units need 19"));
  EXPECT_THAT(error("type: vertex_wind, factors: {steps: [1, 2]}, key_times: [0, 1]"),
              HasSubstr("expected strength: steps"));
  EXPECT_THAT(error("type: vertex_wind, strength: steps, factors: {steps: [1, 2]}"),
              HasSubstr("the scene has 150"));
  EXPECT_THAT(error("type: vertex_wind, falloff: {distance: 0}"), HasSubstr("distance"));
}

/// A sheet that floats; forces inside it add up to nothing, so that its momentum is the sum of those outside.
const char* const kFloating = R"(
time: {step: 0.01, steps: 20}
gravity: [0, 0, 0]
bodies:
  sheet:
    mesh: {generator: {type: grid, size: [4, 3], cells: [4, 3], origin: [-1, -1, 0]}}
    density: 0.2
    materials: [{type: membrane_neo_hookean, youngs_modulus: 100}]
forces:
  air: {type: vertex_wind, force: [0.01, 0.02, 0.05]}
losses: [{loss: {type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}]
forward: {type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-14}
backward: {relative_tolerance: 1e-12}
)";
Vec3 final_momentum(const std::vector<std::string>& overrides) {
  const auto sim = make_simulation(kFloating, overrides);
  Tape tape;
  sim->run(tape, false);
  return as_columns(tape.states.back().v) * sim->system().mass();
}

TEST(VertexWind, MomentumIsTheSumOfItsFactorsAtTheEndsOfTheSteps) {
  const Vec3 force(0.01, 0.02, 0.05);
  const double nodes = 20, h = 0.01;
  EXPECT_LT((final_momentum({}) - nodes * 20 * h * force).norm(), 1e-12);
  double waves = 0;
  for (int k = 1; k <= 20; ++k) waves += 0.5 * (std::sin(14 * h * k + 0.3) + 1);
  EXPECT_LT((final_momentum({"forces.air.strength=sinusoid", "forces.air.angular_frequency=14",
                             "forces.air.phase=0.3"}) -
             nodes * waves * h * force)
                .norm(),
            1e-12);
  std::string list = "1";
  for (int k = 1; k < 20; ++k) list += fmt::format(", {}", k % 3);
  EXPECT_LT((final_momentum({"forces.air.strength=steps", "forces.air.factors={steps: [" + list + "]}"}) -
             nodes * (1 + 7 * 1 + 6 * 2) * h * force)
                .norm(),
            1e-12);
}

TEST(VertexWind, FallsOffWithTheDistanceFromItsCentre) {
  // Vertices at (i, j), i in -1..3, j in -1..2; seen from (0, 0, -1) one is within a distance of 1.
  double sum = 0;
  for (int i = -1; i <= 3; ++i)
    for (int j = -1; j <= 2; ++j) sum += 1 / std::sqrt(i * i + j * j + 1.0);
  EXPECT_LT((final_momentum({"forces.air.falloff={center: [0, 0, -1]}"}) - sum * 0.2 * Vec3(0.01, 0.02, 0.05))
                .norm(),
            1e-12);
}

TEST(VertexWind, PassesTheGradientCheck) {
  const auto waves = make_task(kFloating, {"forces.air.strength=sinusoid", "forces.air.phase=0.4",
                                           "forces.air.falloff={center: [0, 1, -1]}"});
  expect_gradients(*waves, {"forces.air.force", "forces.air.angular_frequency", "forces.air.phase"}, 3);
  const auto keys = make_task(kFloating, {"forces.air.strength=steps", "forces.air.key_times=[0, 0.05, 0.15]",
                                          "forces.air.factors={steps: [1, 0.5, 2]}"});
  expect_gradients(*keys, {"forces.air.force", "forces.air.factors"}, 3);
}

}  // namespace
}  // namespace resilin::test

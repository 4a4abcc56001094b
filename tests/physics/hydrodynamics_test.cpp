// Drag and thrust of water: closed forms of flat faces, terminal velocity, invariances, gradients everywhere.
#include "core/params/io.hpp"
#include "core/solve/simulation.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

std::unique_ptr<Force> water(const SampleBody& body, const std::string& options = "") {
  ComponentSpec spec;
  spec.type = "hydrodynamics";
  spec.options = registry().make_options("force", "hydrodynamics");
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree("{" + options + "}", "options"), [&](ParamVisitor& v) { spec.options->visit(v); },
      registry(), diagnostics, places);
  diagnostics.throw_if_any();
  return registry().make<Force>(spec, body.context());
}

Vec3 total(const Force& force, const VecX& x, const VecX& v) {
  VecX f = VecX::Zero(x.size());
  force.add_force({0.01, 0.01, 0}, x, v, f);
  return as_columns(f).rowwise().sum();
}
VecX everywhere(const Vec3& v, const VecX& x) {
  return v.replicate(x.size() / 3, 1);
}

/// Coefficients at angles of attack of 90 and -90 degrees and at 0: ends of the curves, and the middle of
/// C_t, (-0.8 - 3 0.5 + 3 0.1 + 2.5)/8.
constexpr double kDragHeadOn = 2.05, kDragAlong = 0.05, kThrust = 2.5, kSuction = 0.8;

class HydrodynamicsOn : public ::testing::TestWithParam<ElementType> {};

TEST_P(HydrodynamicsOn, ABoxThatMovesAlongAnAxisHasTheForceOfItsSides) {
  const SampleBody body(make_box({0.3, 0.4, 0.2}, {3, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped();
  const Vec3 sides(0.4 * 0.2, 0.3 * 0.2, 0.3 * 0.4);
  for (int axis = 0; axis < 3; ++axis)
    for (const double speed : {-0.7, 2.0}) {
      // Front: drag and thrust; lee: drag and suction; four sides along the flow: drag only, as C_t of
      // opposite sides cancels.
      const double front = sides[axis] * (kDragHeadOn + kThrust),
                   lee = sides[axis] * (kDragHeadOn + kSuction),
                   along = 2 * (sides.sum() - sides[axis]) * kDragAlong;
      const Vec3 v = speed * Vec3::Unit(axis);
      const Vec3 all = -0.5 * 1000 * (front + lee + along) * speed * std::abs(speed) * Vec3::Unit(axis);
      EXPECT_LT((total(*water(body), x, everywhere(v, x)) - all).norm(), 1e-12 * all.norm());
      // The same flow past a box at rest.
      const std::string flow = fmt::format("velocity: [{}, {}, {}]", -v.x() + 1, -v.y() + 2, -v.z() - 3);
      EXPECT_LT((total(*water(body, flow), x, everywhere({1, 2, -3}, x)) - all).norm(), 1e-11 * all.norm());
      const Vec3 windward = -0.5 * 1000 * front * speed * std::abs(speed) * Vec3::Unit(axis);
      EXPECT_LT((total(*water(body, "lee: false"), x, everywhere(v, x)) - windward).norm(),
                1e-12 * all.norm());
    }
}

TEST_P(HydrodynamicsOn, WaterThatMovesAlongExertsNoForce) {
  const SampleBody body(distorted_mesh({2, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped(), v = everywhere({0.5, -1, 2}, x),
             z = random_vector(x.size(), 3);
  const auto force = water(body, "velocity: [0.5, -1, 2]");
  VecX f = VecX::Zero(x.size()), dx = f, dv = f, dtheta = VecX::Zero(force->num_parameters());
  force->add_force({}, x, v, f);
  force->add_vjp({}, x, v, z, dx, dv, dtheta);
  EXPECT_TRUE(f.isZero(0) && dx.isZero(0) && dv.isZero(0) && dtheta.isZero(0));
}

TEST_P(HydrodynamicsOn, TheForceIsAgainstTheMotionAndTurnsWithIt) {
  const SampleBody body(distorted_mesh({2, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped();
  const auto force = water(body);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const VecX turned = (turn * as_columns(x)).reshaped();
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Vec3 v = random_vector(3, seed), f = total(*force, x, everywhere(v, x));
    EXPECT_LT(f.dot(v), 0);
    EXPECT_LT((total(*force, turned, everywhere(turn * v, x)) - turn * f).norm(), 1e-12 * f.norm());
    EXPECT_LT((total(*force, x, everywhere(3 * v, x)) - 9 * f).norm(), 1e-12 * 9 * f.norm());
  }
}

/// What is pulled back agrees with differences in all of x, v and the parameters.
void expect_vjp(const SampleBody& body, const std::string& options, const VecX& x, const VecX& v,
                double tolerance) {
  const auto force = water(body, options);
  ParameterTable table;
  table.add("force", [&](ParamVisitor& p) { force->visit_parameters(p); });
  ASSERT_EQ(table.size(), force->num_parameters());
  const VecX theta = table.values(), z = random_vector(x.size(), 9);
  const auto work = [&](const VecX& at_x, const VecX& at_v, const VecX& at_theta) {
    table.assign(at_theta);
    VecX f = VecX::Zero(x.size());
    force->add_force({}, at_x, at_v, f);
    return z.dot(f);
  };
  VecX dx = VecX::Zero(x.size()), dv = dx, dtheta = VecX::Zero(theta.size());
  force->add_vjp({}, x, v, z, dx, dv, dtheta);
  ASSERT_TRUE(dx.allFinite() && dv.allFinite() && dtheta.allFinite());
  EXPECT_GT(dx.norm(), 0);
  EXPECT_GT(dv.norm(), 0);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const VecX p = random_vector(x.size(), 20 + seed).normalized(),
               q = random_vector(theta.size(), 30 + seed)
                       .cwiseProduct(theta + VecX::Constant(theta.size(), 0.1));
    const auto gap = [&](const std::function<double(double)>& f, double exact, double floor) {
      return difference_gap(f, exact, 1e-3, floor);
    };
    EXPECT_LT(gap([&](double s) { return work(x + s * p, v, theta); }, dx.dot(p), 0.1 * dx.norm()),
              tolerance);
    EXPECT_LT(gap([&](double s) { return work(x, v + s * p, theta); }, dv.dot(p), 0.1 * dv.norm()),
              tolerance);
    EXPECT_LT(gap([&](double s) { return work(x, v, theta + s * q); }, dtheta.dot(q), 0.1 * dtheta.norm()),
              tolerance);
  }
}

TEST_P(HydrodynamicsOn, PullsBackAtAnyShapeAndMotion) {
  const SampleBody body(distorted_mesh({2, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped(), v = random_vector(x.size(), 5);
  expect_vjp(body, "velocity: [0.3, 0.2, -0.1]", x, v, 1e-7);
  expect_vjp(body, "sides: both, drag: [0.3, 0.1, 1, 2]", x, v, 1e-7);
  expect_vjp(body, "lee: false, density: 3", x, v, 1e-7);
}

// Head on and along the flow, where the arc cosine of the angle has no derivative. Central differences over a
// tip have an error of first order.
TEST_P(HydrodynamicsOn, PullsBackWhereFacesAreAlignedWithTheFlow) {
  const SampleBody body(make_box({0.3, 0.4, 0.2}, {3, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped();
  for (int axis = 0; axis < 3; ++axis) expect_vjp(body, "", x, everywhere(Vec3::Unit(axis), x), 1e-5);
  expect_vjp(body, "drag: [0.3, 0.1, 1, 2], velocity: [0, 0, 3]", x, everywhere({0, 0, 2}, x), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Volumes, HydrodynamicsOn, ::testing::Values(ElementType::Hex8, ElementType::Tet4));

/// A horizontal sheet of triangles.
Mesh sheet_mesh() {
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, 6);
  mesh.vertices << 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0;
  mesh.elements.resize(3, 4);
  mesh.elements << 0, 1, 2, 3, 1, 3, 3, 5, 2, 2, 4, 4;
  return mesh;
}

TEST(Hydrodynamics, BothSidesOfASheetAreWet) {
  const SampleBody body(sheet_mesh());
  const VecX x = body.mesh.vertices.reshaped();
  const double area = 2;
  const auto along_z = [&](const std::string& options, double speed) {
    return total(*water(body, options), x, everywhere({0, 0, speed}, x)).z();
  };
  const double front = kDragHeadOn + kThrust, lee = kDragHeadOn + kSuction;
  EXPECT_NEAR(along_z("", 2), -500 * area * (front + lee) * 4, 1e-9);
  EXPECT_NEAR(along_z("", -2), 500 * area * (front + lee) * 4, 1e-9);
  EXPECT_NEAR(along_z("lee: false", -2), 500 * area * front * 4, 1e-9);
  EXPECT_NEAR(along_z("sides: outer", 2), -500 * area * front * 4, 1e-9);
  EXPECT_NEAR(along_z("sides: outer", -2), 500 * area * lee * 4, 1e-9);
  EXPECT_EQ(along_z("sides: outer, lee: false", -2), 0);
  expect_vjp(body, "", x, everywhere({0, 0, 1}, x), 1e-5);
  const VecX bent = x + 0.1 * random_vector(x.size(), 1);
  expect_vjp(body, "", bent, random_vector(x.size(), 2), 1e-7);
}

/// A sheet that falls flat: each vertex has the same share of mass and force, so that nothing deforms it.
const char* const kPlate = R"(
time: {step: 0.01, steps: 150}
bodies:
  plate:
    mesh: {generator: {type: grid, size: [0.4, 0.3], cells: [4, 3]}}
    density: 20
    materials: [{type: membrane_neo_hookean, youngs_modulus: 1e5}]
forces:
  water: {type: hydrodynamics, density: 10}
forward: {type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}
)";

// m dv/dt = m g - rho/2 A c v^2: v_n+1 = v_n + h (g - v_n^2 g/v_t^2), and in the end v_t^2 = 2 m g/(rho A c).
TEST(Hydrodynamics, APlateFallsWithItsTerminalVelocity) {
  Tape tape;
  make_simulation(kPlate)->run(tape, true);
  const double c = 2 * kDragHeadOn + kThrust + kSuction, limit = std::sqrt(2 * 20 * 9.81 / (10 * c));
  double v = 0;
  for (std::size_t n = 1; n < tape.states.size(); ++n) {
    v += 0.01 * 9.81 * (1 - v * v / (limit * limit));
    for (Index i = 0; i < tape.states[n].v.size() / 3; ++i)
      ASSERT_LT((tape.states[n].v.segment<3>(3 * i) - Vec3(0, 0, -v)).norm(), 1e-9) << "step " << n;
  }
  EXPECT_NEAR(v, limit, 1e-4 * limit) << "not there yet";
}

// The same of a box, whose shape hardly changes.
TEST(Hydrodynamics, ABoxFallsWithItsTerminalVelocity) {
  for (const char* element : {"hex8", "tet4"}) {
    const auto sim = make_simulation(fmt::format(R"(
time: {{step: 0.01, steps: 200}}
bodies:
  box:
    mesh: {{generator: {{type: box, size: [0.2, 0.2, 0.1], cells: [2, 2, 1], element: {}}}}}
    density: 500
    materials: [{{type: corotated, E: 1e8, nu: 0.3}}, {{type: volume, E: 1e8, nu: 0.3}}]
forces:
  water: {{type: hydrodynamics, density: 1000}}
forward: {{type: newton, relative_tolerance: 1e-10}}
)",
                                                 element));
    Tape tape;
    sim->run(tape, false);
    const System& s = sim->system();
    const double mass = s.mass().sum(), top = 0.04, side = 4 * 0.02;
    const double c = top * (2 * kDragHeadOn + kThrust + kSuction) + side * kDragAlong,
                 limit = std::sqrt(2 * mass * 9.81 / (1000 * c));
    const Vec3 v = as_columns(tape.states.back().v) * s.mass() / mass;
    EXPECT_LT((v - Vec3(0, 0, -limit)).norm(), 1e-3 * limit) << element;
  }
}

TEST(Hydrodynamics, GradientsGoThroughASwim) {
  const auto task = make_task(R"(
time: {step: 0.02, steps: 15}
gravity: [0, 0, 0]
bodies:
  fish:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    density: 1000
    materials: [{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]
    initial: {velocity: [0.5, 0.2, 0.1], angular_velocity: [1, 2, 3]}
forces:
  water: {type: hydrodynamics, velocity: [0.1, -0.2, 0.05]}
losses: [{loss: {type: linear_functional, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}]
forward: {relative_tolerance: 1e-12}
backward: {relative_tolerance: 1e-12}
)");
  expect_gradients(*task,
                   {"forces.water.density", "forces.water.velocity", "forces.water.drag",
                    "forces.water.thrust", "bodies.fish.density", "bodies.fish.initial.velocity",
                    "bodies.fish.initial.angular_velocity", "bodies.fish.initial.displacements"},
                   4);
}

TEST(Hydrodynamics, MistakesAreNamed) {
  using ::testing::HasSubstr;
  const auto error = [](const std::string& options) -> std::string {
    try {
      make_simulation(kPlate, {"forces.water={type: hydrodynamics, " + options + "}"});
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(error("drag: [1, 2, 3]"), HasSubstr("four numbers are expected"));
  EXPECT_THAT(error("thrust: {steps: [1, 2, 3, 4]}"), HasSubstr("four numbers are expected"));
  EXPECT_THAT(error("density: -1"), HasSubstr("density"));
  EXPECT_THAT(error("body: plat"), HasSubstr("no body 'plat'"));
  EXPECT_THAT(error("faces: {sphere: {center: [9, 9, 9], radius: 0.1}}"), HasSubstr("no face"));
}

}  // namespace
}  // namespace resilin::test

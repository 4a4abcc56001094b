// Fields of force by formulas: exact motions of the scheme, shares of the vertices, gradients, mistakes.
#include "tests/physics/statics.hpp"
#include "tests/support/gradcheck.hpp"

#include <complex>
#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// A free cube of 8 vertices of density 500, which a uniform acceleration moves without deforming it.
std::string cube(const std::string& force, const std::string& rest = "") {
  return fmt::format(R"(
time: {{step: 0.01, steps: 20}}
gravity: [0, 0, 0]
bodies:
  cube:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 500
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
    initial: {{velocity: [2, -1, 0.5]}}
forces:
  field: {{type: body_force, density: 500, {}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}}
backward: {{type: direct, relative_tolerance: 1e-13}}
{})",
                     force, rest);
}

Tape run(const std::string& scene) {
  Tape tape;
  make_simulation(scene)->run(tape, true);
  return tape;
}

/// All vertices have the velocity v after step n.
void expect_velocity(const Tape& tape, std::size_t n, const Vec3& v) {
  for (Index i = 0; i < 8; ++i)
    ASSERT_LT((tape.states[n].v.segment<3>(3 * i) - v).norm(), 1e-9) << "step " << n << ", vertex " << i;
}

// v_n+1 = v_n - h c v_n, since forces are taken at the start of a step.
TEST(BodyForce, LinearDragDecaysGeometrically) {
  const Tape tape = run(cube("constants: {c: 3}, fx: -c*vx, fy: -c*vy, fz: -c*vz"));
  for (std::size_t n = 0; n < tape.states.size(); ++n)
    expect_velocity(tape, n, std::pow(1 - 0.01 * 3, static_cast<double>(n)) * Vec3(2, -1, 0.5));
}

// v_n+1 = v_n + h w e_z x v_n: in the complex plane a factor 1 + i w h.
TEST(BodyForce, AForceAcrossTheVelocityTurnsIt) {
  const Tape tape = run(cube("constants: {w: 2*pi*2}, fx: -w*vy, fy: w*vx"));
  const double w = 4 * M_PI;
  for (std::size_t n = 0; n < tape.states.size(); ++n) {
    const std::complex<double> v =
        std::complex<double>(2, -1) * std::pow(std::complex<double>(1, w * 0.01), static_cast<double>(n));
    expect_velocity(tape, n, Vec3(v.real(), v.imag(), 0.5));
  }
}

// A rotating field a (cos w t, sin w t) of the ends of the steps: a geometric sum.
TEST(BodyForce, ARotatingFieldAddsUpToAGeometricSum) {
  const Tape tape = run(cube("constants: {a: 5, w: 30}, scale: 2, fx: a*cos(w*t), fy: a*sin(w*t)"));
  for (std::size_t n = 0; n < tape.states.size(); ++n) {
    const std::complex<double> q = std::polar(1.0, 30 * 0.01);
    const std::complex<double> sum =
        q * (1.0 - std::pow(q, static_cast<double>(n))) / (1.0 - q) * (2 * 5 * 0.01);
    expect_velocity(tape, n, Vec3(2 + sum.real(), -1 + sum.imag(), 0.5));
  }
}

TEST(BodyForce, UniformAccelerationIsGravity) {
  const std::string other = cube("fx: 0");
  Tape tape;
  make_simulation(other, {"gravity=[1, 2, -3]"})->run(tape, true);
  const Tape field = run(cube("fx: 1, fy: 2, fz: -3"));
  EXPECT_LT((tape.states.back().x - field.states.back().x).norm(), 1e-12);
}

VecX force_of(const std::string& options, const VecX* velocity = nullptr) {
  const auto sim =
      make_simulation(cube(options), {"bodies.cube.mesh={generator: {type: box, size: [0.3, 0.2, "
                                      "0.1], cells: [3, 2, 1]}}"});
  const State s = sim->system().initial_state();
  VecX f = VecX::Zero(s.x.size());
  sim->system().forces()[0]->add_force({0.25, 0.01, 0}, s.x, velocity != nullptr ? *velocity : s.v, f);
  return f;
}

TEST(BodyForce, IsSharedOutByMassVolumeOrVertex) {
  const Vec3 mass = as_columns(force_of("fx: 3, per: mass")).rowwise().sum();
  EXPECT_LT((mass - Vec3(3 * 500 * 0.3 * 0.2 * 0.1, 0, 0)).norm(), 1e-12);
  const Vec3 volume = as_columns(force_of("fy: 3, per: volume")).rowwise().sum();
  EXPECT_LT((volume - Vec3(0, 3 * 0.3 * 0.2 * 0.1, 0)).norm(), 1e-15);
  const VecX vertex = force_of("fz: 3 + x, per: vertex, nodes: {indices: [6, 9]}");
  EXPECT_NEAR(vertex.sum(), 6.0 + 0.1 + 0.1, 1e-14);  // both stand at x = 0.1
  EXPECT_NEAR(vertex[20] + vertex[29], vertex.sum(), 1e-14);
}

TEST(BodyForce, EvaluatesFormulas) {
  // Of vertex 6 at (0.1, 0, 0), with velocity (2, -1, 0.5), at t = 0.25.
  const std::vector<std::pair<std::string, double>> cases{
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"12/4/3", 1},
      {"2*-3", -6},
      {"-2^2", -4},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"--+2", 2},
      {".5e1 + 1E-1", 5.1},
      {"x + 10*y + 100*z", 0.1},
      {"vx + 10*vy + 100*vz", 42},
      {"t", 0.25},
      {"sin(1) + cos(2)", std::sin(1.0) + std::cos(2.0)},
      {"tan(0.3)*tanh(0.7)", std::tan(0.3) * std::tanh(0.7)},
      {"exp(1.5) - log(3)", std::exp(1.5) - std::log(3.0)},
      {"sqrt(2) + abs(-3) + abs(vy)", std::sqrt(2.0) + 4},
      {"min(1, vx) + 10*max(1, vx)", 21},
      {"pow(vx, 0.5)", std::sqrt(2.0)},
      {" pi * ( k ) ", M_PI * 1.5},
      {"k_2", -3},
  };
  for (const auto& [text, expected] : cases) {
    const VecX f = force_of(
        "per: vertex, nodes: {indices: [6]}, constants: {k: 1.5, k_2: \"-2*max(1.5, 1)\"}, "
        "fx: \"" +
        text + "\"");
    EXPECT_NEAR(f[18], expected, 1e-13 * std::max(1.0, std::abs(expected))) << text;
  }
}

TEST(BodyForce, HasTheDerivativesOfEveryFunction) {
  // Against differences in the velocity of one vertex, at which no formula has a kink.
  for (const char* text :
       {"vx + vy*vz", "vx - vy/vz", "-vx*vx", "vx^3 + vy^2 + 2^vx", "(vx*vx)^vz", "sin(vx)*cos(vy)",
        "tan(vx)*tanh(vy)", "exp(vx/2)", "log(vx)*sqrt(vz)", "abs(vy)*abs(vx)", "min(vx, vy*vy)*vz",
        "max(vx, vy*vy)*vz", "min(vy, vx)*max(vy, vx)", "pow(vx, 2.5) + pow(vy, 3)", "vx*vx/(1 + vx^2)",
        "(vx + vy)*(vx - vz)*(vx + vy)"}) {
    const auto sim = make_simulation(cube(fmt::format(
        "per: vertex, scale: 1.3, nodes: {{indices: [2]}}, fx: \"{0}\", fz: \"0.5*({0})\"", text)));
    const Force& force = *sim->system().forces()[0];
    const State s = sim->system().initial_state();
    const StepContext c{0.1, 0.01, 0};
    const Index n = s.x.size();
    VecX z = VecX::Zero(n), dx = VecX::Zero(n), dv = VecX::Zero(n), dtheta = VecX::Zero(2);
    z.segment<3>(6) = Vec3(1, 5, 2);
    force.add_vjp(c, s.x, s.v, z, dx, dv, dtheta);
    const auto work = [&](const VecX& v) {
      VecX f = VecX::Zero(n);
      force.add_force(c, s.x, v, f);
      return z.dot(f);
    };
    for (Index k = 0; k < 3; ++k) {
      const VecX e = 1e-3 * VecX::Unit(n, 6 + k);
      const double slope =
          (8 * (work(s.v + e) - work(s.v - e)) - (work(s.v + 2 * e) - work(s.v - 2 * e))) / 12e-3;
      EXPECT_NEAR(dv[6 + k], slope, 1e-9 * std::max(1.0, std::abs(slope))) << text << " " << k;
    }
    EXPECT_GT(dv.norm(), 0.1) << text;
    EXPECT_EQ(dv.norm(), dv.segment<3>(6).norm());
    EXPECT_NEAR(dtheta[0], work(s.v) / 1.3, 1e-12) << text;
  }
}

TEST(BodyForce, QuadraticDragHasADerivativeAtRest) {
  const auto sim = make_simulation(cube("fx: \"-vx*sqrt(vx^2 + vy^2 + vz^2)\""),
                                   {"bodies.cube.initial.velocity=[0, 0, 0]"});
  const State s = sim->system().initial_state();
  const Index n = s.x.size();
  VecX dx = VecX::Zero(n), dv = VecX::Zero(n), dtheta = VecX::Zero(2);
  sim->system().forces()[0]->add_vjp({0.1, 0.01, 0}, s.x, s.v, VecX::Ones(n), dx, dv, dtheta);
  EXPECT_EQ(dv.norm(), 0);
}

TEST(BodyForce, PassesTheGradientCheck) {
  const auto task = make_task(
      cube("constants: {c: 3, w: 20}, scale: 1.5, fx: -c*vx + 10*sin(w*t)*y, fy: -c*abs(vy)*vy - 40*x, fz: "
           "exp(-z)*cos(w*t)",
           "losses: [{loss: {type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.1, 0.2, "
           "0.2]}}]\n"),
      {"time={step: 0.03, steps: 6}"});
  expect_gradients(*task, {"forces.field.scale", "forces.field.density", "forces.field.constants.c",
                           "forces.field.constants.w", "bodies.cube.initial.displacements",
                           "bodies.cube.initial.velocity"});
}

std::string error_of(const std::string& options) {
  try {
    run(cube(options));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(BodyForce, PointsToMistakesInFormulas) {
  const auto expect = [](const std::string& formula, const std::string& message) {
    EXPECT_THAT(error_of("constants: {drag: 2}, fy: \"" + formula + "\""),
                ::testing::HasSubstr("forces.field.fy: " + message))
        << formula.substr(0, 80);
  };
  expect("", "at character 1: expected a number, a name or '(', not the end");
  expect("1 +", "at character 4: expected a number, a name or '(', not the end");
  expect("2*(x + 1", "at character 9: expected ')' after the parenthesis, not the end");
  expect("x + 1)", "at character 6: expected an operator or the end, not ')'");
  expect("2 x", "at character 3: expected an operator or the end, not 'x'");
  expect("x * / y", "at character 5: expected a number, a name or '(', not '/'");
  expect("1 + drga*vx", "at character 5: unknown name 'drga'; did you mean 'drag'?");
  expect("1 + sine(x)", "at character 5: unknown function 'sine'; did you mean 'sin'?");
  expect("x(2)", "at character 1: unknown function 'x'");
  expect("sin + 1", "at character 5: expected '(' after the function sin, not '+'");
  expect("sin(x, y)", "at character 6: expected ')' after the argument of sin, not ','");
  expect("pow(x)", "at character 6: expected ',' after the first of the two arguments of pow, not ')'");
  expect("max(x, y, z)", "at character 9: expected ')' after the two arguments of max, not ','");
  expect("1e999", "at character 1: not a number that can be represented");
  expect(". + 1", "at character 1: not a number that can be represented: '.'");
  expect("x = 1", "at character 3: expected an operator or the end, not '='");
  expect("\xc3\xa9", "at character 1: expected a number, a name or '(', not the byte 0xc3");
  expect(std::string(100000, '('), "at character 201: more than 200 levels of nesting");
  expect(std::string(100000, '-'), "at character 201: more than 200 levels of nesting");
  EXPECT_EQ(error_of("fx: 1" + std::string(3000, ' ') + "+ 1"), "no error");
}

TEST(BodyForce, TellsTheMistakesOfAllFormulasTogether) {
  const std::string text = error_of("fx: 1 +, fy: x, fz: q");
  EXPECT_THAT(text, ::testing::HasSubstr("forces.field.fx: at character 4"));
  EXPECT_THAT(text, ::testing::HasSubstr("forces.field.fz: at character 1: unknown name 'q'"));
}

TEST(BodyForce, PointsToOtherMistakes) {
  const auto expect = [](const std::string& options, const char* key, const char* message) {
    const std::string text = error_of(options);
    EXPECT_THAT(text, ::testing::HasSubstr(key)) << options;
    EXPECT_THAT(text, ::testing::HasSubstr(message)) << options;
  };
  EXPECT_EQ(error_of("fx: 1"), "no error");
  expect("body: cub, fx: 1", "forces.field.body", "did you mean 'cube'");
  expect("nodes: {sphere: {center: [9, 9, 9], radius: 1}}", "forces.field.nodes", "matches no vertex");
  expect("constants: {vx: 1}", "forces.field.constants.vx", "has a meaning of its own");
  expect("constants: {sin: 1}", "forces.field.constants.sin", "has a meaning of its own");
  expect("constants: {2c: 1}", "forces.field.constants.2c", "begins with no digit");
  expect("constants: {a: 1, b: a}", "forces.field.constants.b", "unknown name 'a'");
  expect("constants: {a: [1, 2]}", "forces.field.constants.a", "expected a number or a formula");
  expect("constants: {a: 1/0}", "forces.field.constants.a", "inf is no finite number");
  expect("per: node", "forces.field.per", "mass, volume, vertex");
  expect("fx: 1/(t - t)", "forces.field", "fx is inf at vertex 0, place (0, 0, 0), velocity (2, -1, 0.5)");
  expect("fz: log(vy)", "forces.field", "fz is nan at vertex 0");
}

TEST(BodyForce, SaysWhereADerivativeDoesNotExist) {
  const auto sim = make_simulation(cube("fx: sqrt(x)"));
  const State s = sim->system().initial_state();
  const Index n = s.x.size();
  VecX dx = VecX::Zero(n), dv = VecX::Zero(n), dtheta = VecX::Zero(2);
  try {
    sim->system().forces()[0]->add_vjp({0.1, 0.01, 0}, s.x, s.v, VecX::Ones(n), dx, dv, dtheta);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("forces.field: the derivative of fx is inf at vertex 0"));
  }
}

}  // namespace
}  // namespace resilin::test

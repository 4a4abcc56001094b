// Contact between balls: the closed form of a spring in steps, momenta, friction, gradients, mistakes.
#include "core/solve/simulation.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <numbers>

namespace resilin::test {
namespace {

/// Two boxes of 1 kg each (uniform: each of the 8 vertices has the density times a cell's volume) that stand
/// for balls of radius 0.1 m. With equal masses of all vertices the evenly spread force moves a box as a
/// whole, without deforming it.
std::string two_boxes(const std::string& contact, const std::string& left, const std::string& right, double h,
                      int steps) {
  return fmt::format(R"(
time: {{step: {}, steps: {}}}
gravity: [0, 0, 0]
bodies:
  left:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 125
    mass: uniform
    materials: [{{type: corotated, E: 1e5, nu: 0.4}}, {{type: volume, E: 1e5, nu: 0.4}}]
    initial: {{{}}}
  right:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}
    density: 125
    mass: uniform
    materials: [{{type: corotated, E: 1e5, nu: 0.4}}, {{type: volume, E: 1e5, nu: 0.4}}]
    initial: {{{}}}
forces:
  touch: {{type: ball_contact, radius: 0.1{}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-13}}
backward: {{relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, body: left, positions: [1, 0.7, -0.4], velocities: [0.05, 0.1, 0.02]}}}}]
)",
                     h, steps, left, right, contact);
}

Vec3 mean(const VecX& q, Index half) {
  return as_columns(q).middleCols(half * q.size() / 6, q.size() / 6).rowwise().mean();
}

struct Collision {
  double left = 0, right = 0;  ///< velocities afterwards
  double duration = 0;         ///< steps with contact times h
  double energy_error = 0;     ///< largest during the contact, over the energy
};

/// Head on: v = 0.8 m/s against a ball at rest, k = 200 N/m; the overlap is a harmonic oscillation with
/// omega^2 = k (1/m + 1/m) = 400/s^2.
Collision collide(double h) {
  const double k = 200, omega = 20, v0 = 0.8;
  const auto sim =
      make_simulation(two_boxes(", stiffness: 200, regularisation_velocity: 0.2", "velocity: [0.8, 0, 0]",
                                "translation: [0.2037, 0, 0]", h, static_cast<int>(std::lround(0.25 / h))));
  Tape tape;
  sim->run(tape, true);
  Collision c;
  // Explicit in the force and implicit in the place: p_n+1 - 2 p_n + p_n-1 = -(omega h)^2 p_n, solved by
  // cos and sin of n theta with 2 sin(theta/2) = omega h.
  const double theta = 2 * std::asin(0.5 * omega * h);
  std::vector<double> overlap;
  for (const State& s : tape.states) {
    const double p = 0.2 - (mean(s.x, 1) - mean(s.x, 0)).norm();
    if (!(p > 0)) continue;
    const double a = mean(s.v, 0).x(), b = mean(s.v, 1).x(), whole = 0.5 * v0 * v0;
    overlap.push_back(p);
    c.duration += h;
    c.energy_error =
        std::max(c.energy_error, std::abs(0.5 * (a * a + b * b) + 0.5 * k * p * p - whole) / whole);
  }
  for (std::size_t n = 2; n < overlap.size(); ++n) {
    const double t = theta * static_cast<double>(n),
                 sine = (overlap[1] - overlap[0] * std::cos(theta)) / std::sin(theta);
    EXPECT_NEAR(overlap[n], overlap[0] * std::cos(t) + sine * std::sin(t), 1e-11) << "step " << n;
  }
  c.left = mean(tape.states.back().v, 0).x(), c.right = mean(tape.states.back().v, 1).x();
  return c;
}

TEST(BallContact, EqualBallsExchangeTheirVelocities) {
  double before = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const double omega = 20, v0 = 0.8;
    const Collision c = collide(h);
    EXPECT_NEAR(c.duration, std::numbers::pi / omega, h) << h;
    // What the scheme keeps, v^2/2 + omega^2 p^2/2 - h omega^2 p v/2 of the relative motion, is off by less
    // than (omega h)^2/4 of the energy at the first and the last overlap: v' = v (1 + 1/4 (omega h)^2).
    EXPECT_NEAR(c.left, 0, 0.25 * v0 * std::pow(omega * h, 2)) << h;
    EXPECT_NEAR(c.right, v0, 0.25 * v0 * std::pow(omega * h, 2)) << h;
    EXPECT_NEAR(c.left + c.right, v0, 1e-12);
    // In between the energy is off by h omega^2 p v/2, at most omega h/2 of that of the relative motion,
    // which is half of all.
    EXPECT_NEAR(c.energy_error, 0.25 * omega * h, 0.03 * omega * h) << h;
    if (before > 0) {
      EXPECT_NEAR(before / c.energy_error, 2, 0.25) << "first order " << h;
    }
    before = c.energy_error;
  }
}

/// The force on two copies of a distorted box, the second one at `offset` from the first.
struct Pair {
  explicit Pair(const std::string& options, const Vec3& offset = {0.1, 0.05, 0.08})
      : body(distorted_mesh({2, 2, 1}, ElementType::Hex8)) {
    const Index n = body.mesh.num_vertices();
    body.views.push_back({"other", &body.mesh, n});
    x.resize(6 * n);
    x << body.mesh.vertices.reshaped(), (body.mesh.vertices.colwise() + offset).reshaped();
    BuildContext context = body.context();
    context.num_nodes = 2 * n;
    ComponentSpec spec;
    spec.type = "ball_contact";
    spec.options = registry().make_options("force", "ball_contact");
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        parse_tree("{radius: 0.1, " + options + "}", "options"),
        [&](ParamVisitor& v) { spec.options->visit(v); }, registry(), diagnostics, places);
    diagnostics.throw_if_any();
    force = registry().make<Force>(spec, context);
  }
  VecX at(const VecX& v) const {
    VecX f = VecX::Zero(x.size());
    force->add_force({}, x, v, f);
    return f;
  }
  Vec3 on_first(const VecX& v) const {
    return at(v).head(x.size() / 2).reshaped(3, x.size() / 6).rowwise().sum();
  }
  SampleBody body;
  VecX x;
  std::unique_ptr<Force> force;
};

/// Both balls turn as rigid bodies.
VecX turning(const Pair& pair, const Vec3& first, const Vec3& second) {
  VecX v(pair.x.size());
  for (Index half = 0; half < 2; ++half)
    for (Index a = half * v.size() / 6; a < (half + 1) * v.size() / 6; ++a)
      v.segment<3>(3 * a) = (half == 0 ? first : second).cross(pair.x.segment<3>(3 * a) - mean(pair.x, half));
  return v;
}

TEST(BallContact, ForcesAreOppositeAndTheMomentIsThatOfFriction) {
  const Pair pair("stiffness: [80, 120], friction: [0.2, 0.6], regularisation_velocity: 1e-3");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX v = random_vector(pair.x.size(), seed), f = pair.at(v);
    const Vec3 d = mean(pair.x, 0) - mean(pair.x, 1), n = d.normalized(), on_first = pair.on_first(v);
    const double normal = 100 * (0.2 - d.norm());
    EXPECT_LT(as_columns(f).rowwise().sum().norm(), 1e-13);
    EXPECT_NEAR(on_first.dot(n), normal, 1e-12);
    const Vec3 friction = on_first - normal * n;
    EXPECT_NEAR(friction.norm(), 0.4 * normal, 1e-4) << "slides much faster than the regularisation";
    Vec3 moment = Vec3::Zero();
    for (Index a = 0; a < f.size() / 3; ++a) moment += pair.x.segment<3>(3 * a).cross(f.segment<3>(3 * a));
    EXPECT_LT((moment - d.cross(friction)).norm(), 1e-12);
    EXPECT_NEAR(moment.dot(n), 0, 1e-12);
  }
}

TEST(BallContact, FrictionIsAgainstTheMotionWhereTheBallsTouch) {
  const Vec3 d(-0.1, 0, 0), up(0, 0, 1);
  const double normal = 100 * 0.1;
  const auto along = [&](const std::string& options, const Vec3& first, const Vec3& second) {
    const Pair pair("regularisation_velocity: 1e-6, " + options, -d);
    return Vec3(pair.on_first(turning(pair, first, second)));
  };
  // Turning about z, the first ball's side at +x moves along +y: friction pulls it along -y.
  EXPECT_LT((along("", 3 * up, Vec3::Zero()) - Vec3(-normal, -0.5 * normal, 0)).norm(), 1e-6);
  EXPECT_LT((along("", Vec3::Zero(), 3 * up) - Vec3(-normal, -0.5 * normal, 0)).norm(), 1e-6);
  // Like cogwheels they roll on each other.
  EXPECT_LT((along("", 3 * up, -3 * up) - Vec3(-normal, 0, 0)).norm(), 1e-6);
  EXPECT_LT((along("spin: false", 3 * up, up) - Vec3(-normal, 0, 0)).norm(), 1e-6);
  // About y it moves along -z, which is no direction of horizontal friction.
  const Vec3 y(0, 3, 0);
  EXPECT_LT((along("", y, Vec3::Zero()) - Vec3(-normal, 0, 0.5 * normal)).norm(), 1e-6);
  EXPECT_LT((along("friction_plane: horizontal", y, Vec3::Zero()) - Vec3(-normal, 0, 0)).norm(), 1e-6);
}

TEST(BallContact, FrictionGoesToZeroSmoothly) {
  const Pair pair("regularisation_velocity: 0.01", {0.1, 0, 0});
  const auto friction = [&](double speed) {
    VecX v = VecX::Zero(pair.x.size());
    for (Index a = 0; a < v.size() / 6; ++a) v[3 * a + 1] = speed;
    return -pair.on_first(v).y();
  };
  const double full = 0.5 * 100 * 0.1;
  EXPECT_NEAR(friction(0), 0, 1e-12);
  EXPECT_NEAR(friction(0.01), full / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(friction(1e-6), full * 1e-4, 1e-9);
  EXPECT_NEAR(friction(1), full, 1e-4 * full);
}

TEST(BallContact, BallsApartFeelNothing) {
  const Pair pair("", {0.15, 0.15, 0});
  const VecX v = random_vector(pair.x.size(), 1);
  VecX dx = VecX::Zero(v.size()), dv = dx, dtheta = VecX::Zero(pair.force->num_parameters());
  pair.force->add_vjp({}, pair.x, v, v, dx, dv, dtheta);
  EXPECT_TRUE(pair.at(v).isZero(0) && dx.isZero(0) && dv.isZero(0) && dtheta.isZero(0));
}

TEST(BallContact, MomentumIsKeptInAGlancingCollision) {
  const auto sim = make_simulation(two_boxes(
      ", stiffness: [300, 500], friction: 0.4", "velocity: [1, 0.2, -0.1], angular_velocity: [3, -2, 9]",
      "translation: [0.19, 0.06, 0.03], angular_velocity: [1, 1, 4]", 1e-3, 150));
  Tape tape;
  sim->run(tape, true);
  const VecX& m = sim->system().mass();
  const Vec3 before = as_columns(tape.states.front().v) * m, after = as_columns(tape.states.back().v) * m;
  EXPECT_LT((after - before).norm(), 1e-9);
  EXPECT_GT((mean(tape.states.back().v, 1) - mean(tape.states.front().v, 1)).norm(), 0.3) << "no collision";
}

TEST(BallContact, GradientsGoThroughACollision) {
  for (const char* options :
       {"", ", friction_plane: horizontal, regularisation_velocity: 0.3", ", spin: false"}) {
    const auto task =
        make_task(two_boxes(", stiffness: [300, 500], friction: [0.3, 0.5]" + std::string(options),
                            "velocity: [1, 0.2, -0.1], angular_velocity: [3, -2, 9]",
                            "translation: [0.19, 0.06, 0.03], angular_velocity: [1, 1, 4]", 5e-3, 8));
    std::vector<std::string> paths{
        "forces.touch.radius",          "forces.touch.stiffness",        "forces.touch.friction",
        "bodies.left.initial.velocity", "bodies.right.initial.velocity", "bodies.right.initial.translation",
        "bodies.left.density"};
    // Without spin, and as friction turns nothing, the rotation of a ball changes no path.
    if (std::string(options) != ", spin: false") paths.push_back("bodies.left.initial.angular_velocity");
    expect_gradients(*task, paths, 2);
  }
}

TEST(BallContact, MistakesAreNamed) {
  using ::testing::HasSubstr;
  const auto error = [](const std::string& options) -> std::string {
    try {
      make_simulation(two_boxes(options, "", "", 0.01, 1));
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(error(""), "");
  EXPECT_THAT(error(", bodies: [left, rihgt]"), HasSubstr("no body 'rihgt'"));
  EXPECT_THAT(error(", bodies: [left, left]"), HasSubstr("body 'left' is named twice"));
  EXPECT_THAT(error(", bodies: [left]"), HasSubstr("at least two bodies"));
  EXPECT_THAT(error(", stiffness: [1, 2, 3]"), HasSubstr("one number or 2"));
  EXPECT_THAT(error(", friction: [0.1, -0.2]"), HasSubstr("friction"));
  EXPECT_THAT(error(", regularisation_velocity: 0"), HasSubstr("regularisation_velocity"));
}

TEST(BallContact, CentresThatCoincideAndFlatBallsAreFailures) {
  using ::testing::HasSubstr;
  const auto message = [](const Pair& pair) -> std::string {
    try {
      pair.at(VecX::Zero(pair.x.size()));
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(message(Pair("", Vec3::Zero())), HasSubstr("the centres of 'beam' and 'other' coincide"));
  Pair pair("");
  for (Index a = 0; a < pair.x.size() / 3; ++a) pair.x.segment<2>(3 * a + 1).setZero();
  EXPECT_THAT(message(pair), HasSubstr("'beam' lie on a line"));
}

}  // namespace
}  // namespace resilin::test

// What implicit Euler keeps and loses of the momenta and the energy of a free body.
//
// A step solves M (v1 - v0)/h = f(x1) with x1 = x0 + h v1, up to the residual R. Internal forces come from an
// energy that rigid motions leave alone, so sum f(x1) = 0 and sum x1 x f(x1) = 0, both at the same x1. Hence
//   sum m v1 = sum m v0                      linear momentum is kept,
//   sum m x1 x v1 = sum m x1 x v0            the discrete statement about angular momentum,
//   L1 - L0 = h sum m v1 x v0                from x1 = x0 + h v1: it drifts, by a rate of order h.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

std::string free_body(const std::string& element, const std::string& materials, double h, int steps) {
  return fmt::format(R"(
time: {{step: {:.17g}, steps: {}}}
gravity: [0, 0, 0]
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.3, 0.2, 0.1], cells: [3, 2, 2], element: {}}}}}
    density: 1000
    materials: {}
    initial:
      twist: {{axis: [1, 0, 0], point: [0, 0.1, 0.05], rate: 2}}
      velocity: [0.5, -0.3, 0.2]
      angular_velocity: [1, -2, 3]
forward: {{type: newton, relative_tolerance: 1e-11, absolute_tolerance: 0}}
)",
                     h, steps, element, materials);
}

Vec3 angular(const System& s, const VecX& x, const VecX& v) {
  Vec3 l = Vec3::Zero();
  for (Index i = 0; i < s.num_nodes(); ++i) l += s.mass()[i] * x.segment<3>(3 * i).cross(v.segment<3>(3 * i));
  return l;
}

class Momentum : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Momentum, ObeysTheDiscreteStatements) {
  const auto& [element, materials] = GetParam();
  const double h = 0.01;
  const auto sim = make_simulation(free_body(element, solid(materials, 1e5, 0.4), h, 30));
  const System& s = sim->system();
  Tape tape;
  sim->run(tape, true);
  double moved_momentum = 0;
  for (const StepRecord& record : tape.records) {
    const State &a = tape.states[static_cast<std::size_t>(record.before)],
                &b = tape.states[static_cast<std::size_t>(record.after)];
    const Vec3 change = (as_columns(b.v) - as_columns(a.v)) * s.mass();
    const double exchanged =
        ((as_columns(b.v) - as_columns(a.v)) * s.mass().asDiagonal()).colwise().norm().sum();
    moved_momentum += exchanged;
    // |sum R_i| <= sqrt(n) |R|, times h; and the rounding of v1 = (x1 - x0)/h.
    const double reach = as_columns(b.x).colwise().norm().maxCoeff();
    const double bound = h * std::sqrt(static_cast<double>(s.num_nodes())) * record.report.residual +
                         4e-16 * s.mass().sum() * reach / h;
    EXPECT_LT(change.norm(), bound);
    EXPECT_LT((angular(s, b.x, b.v) - angular(s, b.x, a.v)).norm(), reach * bound);
    EXPECT_LT(bound, 1e-9 * exchanged);  // so that the bound says something
    const Vec3 drift = angular(s, b.x, b.v) - angular(s, a.x, a.v);
    EXPECT_LT((drift - h * angular(s, b.v, a.v)).norm(), 2 * reach * bound);
  }
  EXPECT_GT(moved_momentum, 0.1);  // [kg m/s] went from node to node: the body did deform
}

TEST_P(Momentum, DriftOfAngularMomentumVanishesAtFirstOrder) {
  const auto& [element, materials] = GetParam();
  std::vector<double> drift;
  for (const int steps : {200, 400, 800}) {
    const auto sim = make_simulation(free_body(element, solid(materials, 2e4, 0.4), 0.1 / steps, steps));
    Tape tape;
    sim->run(tape, false);
    const State start = sim->system().initial_state(), &end = tape.states.back();
    drift.push_back((angular(sim->system(), end.x, end.v) - angular(sim->system(), start.x, start.v)).norm());
  }
  EXPECT_GT(drift[0], drift[1]);
  // c1 h + c2 h^2: the order seen differs from one by about (c2/c1) h, some 5 % with the oscillations
  // resolved so.
  EXPECT_NEAR(std::log2(drift[1] / drift[2]), 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, Momentum,
                         ::testing::Combine(::testing::Values("hex8", "tet4"),
                                            ::testing::Values("corotated_volume", "neo_hookean",
                                                              "stable_neo_hookean")),
                         [](const auto& p) { return std::get<0>(p.param) + "_" + std::get<1>(p.param); });

// For a convex energy: E1 - E0 <= grad E(x1) . (x1 - x0) = -(v1 - v0) . M v1, so K + E falls by at least
// |v1 - v0|_M^2 / 2. Projective energies are convex but for rotations, whose share is below that dissipation
// here.
TEST(Energy, NeverGrowsWithoutForces) {
  for (const char* element : {"hex8", "tet4"})
    for (const double h : {0.001, 0.01, 0.05}) {
      const std::string muscle =
          "[{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}, {type: muscle, stiffness: "
          "1e4}]";
      const auto sim = make_simulation(free_body(element, muscle, h, 60));
      double last = std::numeric_limits<double>::infinity();
      double first = 0;
      Tape tape;
      sim->run(tape, false, [&](Index step, const State& s, const SolveReport&) {
        const double total = sim->system().kinetic_energy(s) + sim->elastic_energy(s, step);
        EXPECT_LE(total, last + 1e-12 * first) << "step " << step << ", h = " << h;  // rounding of the sum
        if (step == 0) first = total;
        last = total;
        return true;
      });
      EXPECT_LT(last, 0.999 * first);
      // What implicit Euler cannot take away is the motion of the centre of mass.
      const Vec3 v(0.5, -0.3, 0.2);
      EXPECT_GT(last, 0.5 * sim->system().mass().sum() * v.squaredNorm() * (1 - 1e-9));
    }
}

}  // namespace
}  // namespace resilin::test

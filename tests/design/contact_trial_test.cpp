// Contact without a line of core written for it: an elastic block on a slope, the same steps by several
// solvers.
#include "tests/design/contact_step.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace resilin::test {
namespace {

constexpr double kSlope = 20 * 3.14159265358979323846 / 180;
constexpr double kGravity = 9.81;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SlopedBlock {
 public:
  SlopedBlock(double youngs_modulus, double poissons_ratio, double h)
      : sim_(make_simulation(fmt::format(R"(
time: {{step: {3}, steps: 1}}
gravity: [{0:.17g}, 0, {1:.17g}]
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.4, 0.4, 0.2], cells: [4, 4, 2]}}}}
    density: 1000
    materials:
      - {{type: corotated, youngs_modulus: {2}, poissons_ratio: {4}}}
      - {{type: volume, youngs_modulus: {2}, poissons_ratio: {4}}}
)",
                                         kGravity * std::sin(kSlope), -kGravity * std::cos(kSlope),
                                         youngs_modulus, h, poissons_ratio))),
        h_(h),
        state_(sim_->system().initial_state()) {
    for (Index i = 0; i < sim_->system().num_nodes(); ++i)
      if (std::abs(state_.x[3 * i + 2]) < 1e-12) nodes_.push_back(i);
  }

  State& state() { return state_; }
  const std::vector<Index>& nodes() const { return nodes_; }
  Mat3X displacement() const { return as_columns(state_.x) - as_columns(sim_->system().initial_state().x); }

  /// Calls solve(problem, x, r) for the next step, from x as it is and r = 0.
  template <class Solve>
  ContactReport attempt(double mu, VecX& x, VecX& r, Solve solve) const {
    const System& s = sim_->system();
    const StepContext c{state_.t + h_, h_, 0};
    const StepTools tools = sim_->tools();
    const VecX y = inertial_prediction(s, c, state_);
    const StepProblem problem(s, tools.linear, c, 1 / (h_ * h_), y, state_.x, tools.workspace);
    const ContactSet set = contacts_with_ground(nodes_, state_.x);
    x = state_.x;
    r = VecX::Zero(3 * set.size());
    return solve(ContactProblem{problem, set, mu}, x, r);
  }
  void advance(const VecX& x) {
    state_.v = (x - state_.x) / h_;
    state_.x = x;
    state_.t += h_;
  }
  double time_step() const { return h_; }

 private:
  std::unique_ptr<Simulation> sim_;
  double h_;
  State state_;
  std::vector<Index> nodes_;
};

ContactReport by_newton(const ContactProblem& p, VecX& x, VecX& r) {
  return newton_contact(p, semismooth_newton, x, r);
}
ContactReport by_gauss_seidel(const ContactProblem& p, VecX& x, VecX& r) {
  return newton_contact(p, gauss_seidel, x, r);
}
ContactReport by_splitting(const ContactProblem& p, VecX& x, VecX& r) {
  return splitting_contact(p, x, r);
}

struct Modes {
  Index open = 0, stick = 0, slip = 0;
};

/// Signorini-Coulomb written out, not through respond(): the largest violation of any of its parts.
double signorini_coulomb_violation(const ContactProblem& p, const VecX& x, const VecX& r, Modes& modes) {
  double worst = 0;
  const VecX u = p.velocity(x);
  for (Index c = 0; c < p.set.size(); ++c) {
    const double rn = r[3 * c], un = u[3 * c];
    const Eigen::Vector2d rt = r.segment<2>(3 * c + 1), ut = u.segment<2>(3 * c + 1);
    worst = std::max({worst, -rn, -un * p.h(), std::min(rn, std::abs(un * p.h()))});
    if (rn < 1e-9) {
      ++modes.open;
      worst = std::max(worst, rt.norm());
    } else if (ut.norm() < 1e-9) {
      ++modes.stick;
      if (std::isfinite(p.mu)) worst = std::max(worst, rt.norm() - p.mu * rn);
    } else {
      ++modes.slip;
      // On the cone and against the motion: r_t = -mu r_n u_t/|u_t|.
      worst = std::max(worst, std::isfinite(p.mu) ? (rt + p.mu * rn * ut.normalized()).norm() : ut.norm());
    }
  }
  return worst;
}

class SolversAgree : public ::testing::TestWithParam<double> {};

TEST_P(SolversAgree, OnEveryStepOfABlockThatLands) {
  const double mu = GetParam();
  SlopedBlock block(1e5, 0.3, 0.01);
  // Turns as it lands, so that contacts open, stick and slip.
  for (Index i = 0; i < block.state().x.size() / 3; ++i)
    block.state().v.segment<3>(3 * i) =
        Vec3(0.4, -0.8, 0).cross(block.state().x.segment<3>(3 * i) - Vec3(0.2, 0.2, 0.1));
  KeptColumns columns;
  Modes modes;
  Index newton_outer = 0, newton_inner = 0, sweeps = 0, passes = 0, schur_passes = 0, trials = 0;
  const Index steps = 6;
  for (Index k = 0; k < steps; ++k) {
    SCOPED_TRACE(fmt::format("step {}", k));
    VecX x, r, other_x, other_r;
    double violation = 0;
    const ContactReport newton =
        block.attempt(mu, x, r, [&](const ContactProblem& p, VecX& at, VecX& impulse) {
          const ContactReport report = by_newton(p, at, impulse);
          violation = signorini_coulomb_violation(p, at, impulse, modes);
          return report;
        });
    ASSERT_TRUE(newton.converged) << newton.force_residual << " " << newton.law_residual;
    EXPECT_LE(violation, 1e-8);
    newton_outer += newton.outer, newton_inner += newton.inner;

    const auto expect_same = [&](const char* name, const ContactReport& report) {
      EXPECT_TRUE(report.converged) << name << " " << report.force_residual << " " << report.law_residual;
      EXPECT_LE((other_x - x).cwiseAbs().maxCoeff(), 1e-8) << name;
      EXPECT_LE((other_r - r).cwiseAbs().maxCoeff(), 1e-8) << name;
    };
    const ContactReport sweeping = block.attempt(mu, other_x, other_r, by_gauss_seidel);
    expect_same("Gauss-Seidel", sweeping);
    sweeps += sweeping.inner;
    const ContactReport split = block.attempt(mu, other_x, other_r, by_splitting);
    expect_same("splitting", split);
    passes += split.outer;
    if (std::isinf(mu)) {
      const ContactReport schur =
          block.attempt(mu, other_x, other_r, [&](const ContactProblem& p, VecX& at, VecX& impulse) {
            return schur_contact(p, columns, at, impulse);
          });
      expect_same("Schur complement", schur);
      schur_passes += schur.outer, trials += schur.inner;
    }
    block.advance(x);
  }
  const auto per_step = [&](Index count) {
    return fmt::format("{:.1f}", static_cast<double>(count) / steps);
  };
  RecordProperty("newton_outer_per_step", per_step(newton_outer));
  RecordProperty(
      "semismooth_iterations_per_linearisation",
      fmt::format("{:.1f}", static_cast<double>(newton_inner) / static_cast<double>(newton_outer)));
  RecordProperty("gauss_seidel_sweeps_per_step", per_step(sweeps));
  RecordProperty("splitting_passes_per_step", per_step(passes));
  RecordProperty("modes", fmt::format("open {} stick {} slip {}", modes.open, modes.stick, modes.slip));
  EXPECT_GT(modes.open, 0);
  EXPECT_GT(modes.stick, 0);
  if (std::isinf(mu)) {
    RecordProperty("schur_passes_per_step", per_step(schur_passes));
    RecordProperty("active_set_trials_per_pass",
                   fmt::format("{:.2f}", static_cast<double>(trials) / static_cast<double>(schur_passes)));
    EXPECT_EQ(modes.slip, 0);
    // One solve per contact node serves all trials of all passes of all steps.
    EXPECT_EQ(columns.solves(), static_cast<Index>(block.nodes().size()));
  } else {
    EXPECT_GT(modes.slip, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Friction, SolversAgree, ::testing::Values(0.2, 0.5, kInfinity));

TEST(Sticking, CanHaveNoSolutionWhereFrictionHasOne) {
  // One contact whose normal and tangential motion are coupled. Held, it would be pulled (r_n = -0.53 N s);
  // let go, it penetrates (u_n = -0.1 m/s). However large mu, sliding is the answer, with r_n -> 0 and r_t ->
  // 0.2.
  MatX w = MatX::Identity(3, 3);
  w(0, 1) = w(1, 0) = 0.5;
  const VecX u0 = Vec3(-0.1, -1, 0);
  const VecX held = -w.llt().solve(u0);
  ASSERT_NEAR(held[0], -0.4 / 0.75, 1e-12);
  for (const double mu : {0.5, 5.0, 500.0}) {
    const double rn = 0.1 / (1 + 0.5 * mu);
    const Vec3 r(rn, mu * rn, 0), u = w * r + u0;
    const Response law = respond(r - u, mu);
    EXPECT_EQ(law.mode, ContactMode::Slip) << mu;
    EXPECT_LE((law.r - r).norm(), 1e-14) << mu;
    VecX found = VecX::Zero(3);
    EXPECT_LE(semismooth_newton(w, u0, mu, found), 10) << mu;
    EXPECT_LE((found - r).norm(), 1e-12) << mu;
  }
  // Sweeps contract for small mu only; with steps of 1/lambda_max they circle for large mu.
  VecX swept = VecX::Zero(3);
  EXPECT_LE(gauss_seidel(w, u0, 0.5, swept), 30);
  EXPECT_NEAR(swept[0], 0.08, 1e-12);
  EXPECT_EQ(gauss_seidel(w, u0, 500, swept), 20000);
  VecX r = VecX::Zero(3);
  EXPECT_EQ(semismooth_newton(w, u0, kInfinity, r), 200);
  EXPECT_EQ(gauss_seidel(w, u0, kInfinity, r), 20000);
}

/// Runs from rest; returns the mean displacement.
Vec3 slide(SlopedBlock& block, double mu, Index steps, double& worst, Modes& last) {
  for (Index k = 0; k < steps; ++k) {
    VecX x, r;
    const ContactReport report =
        block.attempt(mu, x, r, [&](const ContactProblem& p, VecX& at, VecX& impulse) {
          const ContactReport newton = by_newton(p, at, impulse);
          last = {};
          worst = std::max(worst, signorini_coulomb_violation(p, at, impulse, last));
          return newton;
        });
    EXPECT_TRUE(report.converged) << "step " << k << " " << report.force_residual << " "
                                  << report.law_residual;
    block.advance(x);
  }
  return block.displacement().rowwise().mean();
}

TEST(RigidLimit, SlidesAsInClosedForm) {
  for (const double mu : {0.0, 0.1, 0.2, 0.3}) {
    SlopedBlock block(2e7, 0.0, 0.01);
    const Index steps = 30;
    double worst = 0;
    Modes last;
    const Vec3 moved = slide(block, mu, steps, worst, last);
    const double t = static_cast<double>(steps) * block.time_step();
    const double exact =
        0.5 * kGravity * (std::sin(kSlope) - mu * std::cos(kSlope)) * t * (t + block.time_step());
    EXPECT_NEAR(moved[0], exact, 0.01 * exact) << "mu " << mu;
    EXPECT_NEAR(moved[1], 0, 1e-9);
    EXPECT_LE(worst, 1e-8);
    EXPECT_EQ(last.stick, 0) << "mu " << mu;
    RecordProperty(fmt::format("relative_error_mu_{:.0f}_percent", 100 * mu),
                   fmt::format("{:.2e}", moved[0] / exact - 1));
  }
}

TEST(RigidLimit, SticksAboveTheAngleOfFriction) {
  for (const double mu : {0.6, 1.0, kInfinity}) {
    SlopedBlock block(2e7, 0.0, 0.01);
    double worst = 0;
    Modes last;
    slide(block, mu, 20, worst, last);
    const Vec3 settled = block.displacement().rowwise().mean();
    const Mat3X before = block.displacement();
    slide(block, mu, 10, worst, last);
    EXPECT_LE(worst, 1e-8);
    EXPECT_EQ(last.slip, 0) << "mu " << mu;
    EXPECT_GT(last.stick, 0);
    EXPECT_LE(settled.head<2>().norm(), 1e-4) << "mu " << mu;
    double drift = 0;
    for (const Index i : block.nodes())
      drift = std::max(drift, (block.displacement().col(i) - before.col(i)).head<2>().norm());
    EXPECT_LE(drift, 1e-10) << "mu " << mu;
  }
}

}  // namespace
}  // namespace resilin::test

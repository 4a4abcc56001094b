// The adjoint of frictional contact: at the solution the law is one more row, r = respond(r - rho u~), and a
// step's pull-back is one bordered, transposed system. Through the tape of core, with what its records lack
// kept beside it.
#include "tests/design/contact_step.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace resilin::test {
namespace {

constexpr Index kSteps = 5;

/// z with (dR/dx)^T z = b.
using SolveAdjoint = std::function<MatX(const StepProblem&, const VecX& x, const MatX& b)>;

struct Gradient {
  VecX x0, v0;
  double mu = 0, youngs_modulus = 0;
};

struct Outcome {
  double loss = 0;
  std::string modes;  ///< one letter per contact, step by step
  double clearance =
      0;  ///< smallest distance of a trial impulse from a switch, relative to the typical impulse
};

class FrictionalBlock : public ::testing::Test {
 protected:
  FrictionalBlock()
      : sim_(make_simulation(fmt::format(R"(
time: {{step: 0.01, steps: {}}}
gravity: [3.3, 0, -9.2]
backward: {{type: direct, relative_tolerance: 1e-13}}
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.4, 0.4, 0.2], cells: [4, 4, 2]}}}}
    density: 1000
    materials:
      - {{type: corotated, youngs_modulus: 1e5, poissons_ratio: 0.3}}
      - {{type: volume, youngs_modulus: 1e5, poissons_ratio: 0.3}}
)",
                                         kSteps))),
        n_(sim_->system().num_dofs()) {
    const State s = sim_->system().initial_state();
    x0_ = s.x;
    v0_.resize(n_);
    for (Index i = 0; i < n_ / 3; ++i) {
      if (std::abs(x0_[3 * i + 2]) < 1e-12) nodes_.push_back(i);
      v0_.segment<3>(3 * i) = Vec3(0.4, -0.8, 0).cross(x0_.segment<3>(3 * i) - Vec3(0.2, 0.2, 0.1));
    }
    weight_x_ = (0.7 * VecX::LinSpaced(n_, 0, static_cast<double>(n_ - 1)).array() + 0.3).sin();
    weight_v_ = 0.01 * (0.3 * VecX::LinSpaced(n_, 0, static_cast<double>(n_ - 1)).array() + 0.1).cos();
  }

  void set_youngs_modulus(double e) {
    VecX theta = sim_->system().parameters().values();
    for (const ParameterEntry* p :
         sim_->system().parameters().find("bodies.block.materials[*].youngs_modulus"))
      theta[p->offset] = e;
    sim_->system().set_parameters(theta);
  }

  StepProblem problem(const StepContext& c, const State& before) const {
    const StepTools t = sim_->tools();
    const double h = c.time_step;
    return {t.system, t.linear,   c, 1 / (h * h), inertial_prediction(t.system, c, before),
            before.x, t.workspace};
  }
  /// What the law responds to; rho is the mean nodal mass, in the adjoint as here.
  static Vec3 trial_impulse(const ContactProblem& p, Index c, const VecX& u) {
    return p.set.r.segment<3>(3 * c) - p.mass(c) * u.segment<3>(3 * c);
  }

  Outcome run(const VecX& x0, const VecX& v0, double mu) {
    const double h = sim_->time_step();
    tape_ = {};
    sets_.clear();
    tape_.states.push_back({x0, v0, 0});
    tape_.frames.push_back(0);
    Outcome out;
    out.clearance = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < kSteps; ++k) {
      const StepContext c{h * static_cast<double>(k + 1), h, k};
      const State before = tape_.states.back();
      const StepProblem step = problem(c, before);
      ContactSet set = contacts_with_ground(nodes_, before.x);
      State after{before.x, {}, c.time};
      const ContactReport report = newton_contact({step, set, mu}, semismooth_newton, after.x, set.r);
      EXPECT_TRUE(report.converged) << report.force_residual << " " << report.law_residual;
      after.v = (after.x - before.x) / h;
      const ContactProblem solved{step, set, mu};
      const VecX u = solved.velocity(after.x);
      const double typical = set.r.norm() / std::sqrt(static_cast<double>(set.size()));
      for (Index j = 0; j < set.size(); ++j) {
        const Vec3 tau = trial_impulse(solved, j, u);
        out.modes += "osd"[static_cast<int>(respond(tau, mu).mode)];
        const double to_cone = tau[0] > 0 ? std::abs(tau.tail<2>().norm() - mu * tau[0]) : typical;
        out.clearance = std::min({out.clearance, std::abs(tau[0]) / typical, to_cone / typical});
      }
      tape_.states.push_back(after);
      tape_.records.push_back(
          {c, k, k + 1, -1, {report.converged, report.outer, 0, report.inner, 0.0, 0.0, {}}, {}, {}});
      tape_.frames.push_back(k + 1);
      sets_.push_back(set);
    }
    const State& last = tape_.states.back();
    out.loss = weight_x_.dot(last.x) + weight_v_.dot(last.v);
    return out;
  }

  /// The pull-back of one step. With B the border, D the law's derivative and S = I - D^T + rho W D^T:
  ///     [ H       rho J^T D^T/h ] [z]   [a]
  ///     [ -J/h    (I - D)^T     ] [q] = [0]     is   S q = J H^-1 a/h,  z = H^-1 (a - rho J^T D^T q/h).
  void pull_back(const StepRecord& record, const ContactSet& set, double mu, const SolveAdjoint& solve,
                 Adjoint& a, Gradient& g) const {
    const System& s = sim_->system();
    const State &before = tape_.states[static_cast<std::size_t>(record.before)],
                &after = tape_.states[static_cast<std::size_t>(record.after)];
    const double h = record.context.time_step;
    const StepProblem step = problem(record.context, before);
    const ContactProblem p{step, set, mu};
    const VecX u = p.velocity(after.x), rhs = a.x + a.v / h;
    const Index m = 3 * set.size();
    MatX d = MatX::Zero(m, m), columns(n_, m + 1);
    VecX d_mu(m), rho(m);
    for (Index c = 0; c < set.size(); ++c) {
      const Response q = respond(trial_impulse(p, c, u), mu);
      d.block<3, 3>(3 * c, 3 * c) = q.d_tau;
      d_mu.segment<3>(3 * c) = q.d_mu;
      rho.segment<3>(3 * c).setConstant(p.mass(c));
    }
    columns << contact_columns(p), rhs;
    const MatX solved = solve(step, after.x, columns);
    const MatX w = columns.leftCols(m).transpose() * solved.leftCols(m);
    const MatX pulled = rho.asDiagonal() * d.transpose();  // rho D^T
    const VecX q = (MatX::Identity(m, m) - d.transpose() + w * pulled)
                       .partialPivLu()
                       .solve(p.restrict_to_contacts(solved.col(m)) / h);
    const VecX border = pulled * q;
    const VecX z = solved.col(m) - solved.leftCols(m) * border;

    g.mu += q.dot(d_mu);
    VecX dx = -a.v / h, dv(n_);
    for (Index i = 0; i < s.num_nodes(); ++i) {
      dx.segment<3>(3 * i) += s.mass()[i] / (h * h) * z.segment<3>(3 * i);
      dv.segment<3>(3 * i) = s.mass()[i] / h * z.segment<3>(3 * i);
    }
    // u~ knows the step's start through its tangential part only: gap/h cancels the normal one.
    for (Index c = 0; c < set.size(); ++c) {
      Vec3 t = border.segment<3>(3 * c) / h;
      t[0] = 0;
      dx.segment<3>(3 * set[c].node) += set[c].frame * t;
    }
    VecX theta = VecX::Zero(s.parameters().size());
    for (std::size_t k = 0; k < s.energies().size(); ++k) {
      const Energy& e = *s.energies()[k];
      e.add_param_vjp(record.context, after.x, z, theta.segment(s.energy_offset(k), e.num_parameters()),
                      sim_->workspace());
    }
    for (const ParameterEntry* e : s.parameters().find("bodies.block.materials[*].youngs_modulus"))
      g.youngs_modulus -= theta[e->offset];
    a.x = dx;
    a.v = dv;
  }

  Gradient gradient(double mu, const SolveAdjoint& solve) const {
    Gradient g;
    Adjoint a{weight_x_, weight_v_};
    for (std::size_t k = tape_.records.size(); k-- > 0;)
      pull_back(tape_.records[k], sets_[k], mu, solve, a, g);
    g.x0 = a.x;
    g.v0 = a.v;
    return g;
  }

  static MatX by_factor(const StepProblem& p, const VecX& x, const MatX& b) {
    HessianFactor factor;
    EXPECT_TRUE(factor.factorize(p, x, false));
    return factor.solve(b);
  }

  std::unique_ptr<Simulation> sim_;
  Index n_;
  VecX x0_, v0_, weight_x_, weight_v_;
  std::vector<Index> nodes_;
  Tape tape_;
  std::vector<ContactSet> sets_;  ///< of each record
};

TEST_F(FrictionalBlock, GradientAgreesWithDifferences) {
  const double mu = 0.3, youngs_modulus = 1e5;
  const Outcome base = run(x0_, v0_, mu);
  for (const char mode : {'o', 's', 'd'})
    EXPECT_GT(std::count(base.modes.begin(), base.modes.end(), mode), 5) << mode << " in " << base.modes;
  RecordProperty("clearance", fmt::format("{:.2e}", base.clearance));
  const Gradient g = gradient(mu, by_factor);

  double worst = 0;
  const auto compare = [&](const std::string& what, double adjoint, double step, auto loss_at) {
    // Fourth-order central difference, with the contacts as they were: no switch lies between its points.
    double f[4];
    const double at[4] = {-2 * step, -step, step, 2 * step};
    for (int i = 0; i < 4; ++i) {
      const Outcome o = loss_at(at[i]);
      ASSERT_EQ(o.modes, base.modes) << what;
      f[i] = o.loss;
    }
    const double difference = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step);
    const double error = std::abs(adjoint - difference) / std::abs(difference);
    EXPECT_LE(error, 1e-6) << what << ": adjoint " << adjoint << ", difference " << difference;
    worst = std::max(worst, error);
  };
  const VecX wave = (0.9 * VecX::LinSpaced(n_, 0, static_cast<double>(n_ - 1)).array() + 0.2).cos();
  for (const VecX& d : {VecX(g.x0.normalized()), VecX(wave.normalized())})
    compare("x0", g.x0.dot(d), 2e-6, [&](double t) { return run(x0_ + t * d, v0_, mu); });
  for (const VecX& d : {VecX(g.v0.normalized()), VecX(wave.normalized())})
    compare("v0", g.v0.dot(d), 2e-4, [&](double t) { return run(x0_, v0_ + t * d, mu); });
  compare("mu", g.mu, 1e-5, [&](double t) { return run(x0_, v0_, mu + t); });
  compare("E", g.youngs_modulus, 20.0, [&](double t) {
    set_youngs_modulus(youngs_modulus + t);
    return run(x0_, v0_, mu);
  });
  RecordProperty("worst_relative_error", fmt::format("{:.1e}", worst));
}

TEST_F(FrictionalBlock, StickingIsTheSameSystemWithInfiniteFriction) {
  const double mu = std::numeric_limits<double>::infinity();
  const Outcome base = run(x0_, v0_, mu);
  EXPECT_EQ(std::count(base.modes.begin(), base.modes.end(), 'd'), 0);
  const Gradient g = gradient(mu, by_factor);
  EXPECT_EQ(g.mu, 0);
  const VecX d = g.v0.normalized();
  const double step = 1e-4;
  const Outcome ahead = run(x0_, v0_ + step * d, mu), behind = run(x0_, v0_ - step * d, mu);
  ASSERT_EQ(ahead.modes, base.modes);
  ASSERT_EQ(behind.modes, base.modes);
  const double difference = (ahead.loss - behind.loss) / (2 * step);
  EXPECT_NEAR(g.v0.dot(d), difference, 1e-6 * std::abs(difference));
}

TEST_F(FrictionalBlock, EveryBackwardSolverCanFillTheBorder) {
  const double mu = 0.3;
  run(x0_, v0_, mu);
  const Gradient exact = gradient(mu, by_factor);
  for (const char* type : {"direct", "pd_krylov"}) {
    const SceneFile file = read_scene(fmt::format(
        "bodies: {{b: {{mesh: {{generator: {{type: box}}}}, materials: [{{type: corotated}}]}}}}\n"
        "backward: {{type: {}, relative_tolerance: 1e-13}}\n",
        type));
    const auto backward = registry().make<BackwardSolver>(file.options.scene.backward, BuildContext{});
    Index solves = 0;
    const Gradient g = gradient(mu, [&](const StepProblem& p, const VecX& x, const MatX& b) {
      MatX z(b.rows(), b.cols());
      for (Index k = 0; k < b.cols(); ++k) {
        VecX column = VecX::Zero(b.rows());
        const SolveReport report = backward->solve(p, x, b.col(k), column);
        EXPECT_TRUE(report.converged) << type << ": " << report.note;
        z.col(k) = column;
        ++solves;
      }
      return z;
    });
    EXPECT_LE(relative_error(g.x0, exact.x0), 1e-8) << type;
    EXPECT_LE(relative_error(g.v0, exact.v0), 1e-8) << type;
    EXPECT_NEAR(g.mu, exact.mu, 1e-8 * std::abs(exact.mu)) << type;
    EXPECT_EQ(solves, kSteps * (3 * static_cast<Index>(nodes_.size()) + 1));
  }
}

}  // namespace
}  // namespace resilin::test

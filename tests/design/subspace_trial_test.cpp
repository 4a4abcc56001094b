// A subspace with a displacement field on top, x = chi(q) + f(q), on the step problem of the full space:
// value and residual at x, pulled back by the map's Jacobian, and nothing else.
#include "tests/design/contact_step.hpp"
#include "tests/support/scenes.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace resilin::test {
namespace {

/// chi: affine handles blended by smooth weights; f = strength * W2 tanh(W1 q + b).
class SubspaceMap {
 public:
  SubspaceMap(const Mat3X& rest, Index handles, double strength) : strength_(strength) {
    const Index n = rest.cols();
    const Vec3 low = rest.rowwise().minCoeff(), size = rest.rowwise().maxCoeff() - low;
    MatX weight(n, handles);
    for (Index k = 0; k < handles; ++k) {
      const double s = (static_cast<double>(k) + 0.5) / static_cast<double>(handles);
      // Off the axis, so that weights times coordinates stay independent on a regular grid.
      const Vec3 center = low + Vec3(s, 0.3 + 0.2 * s, 0.7 - 0.3 * s).cwiseProduct(size);
      weight.col(k) =
          (-8 * (rest.colwise() - center).colwise().squaredNorm() / size.squaredNorm()).array().exp();
    }
    weight = weight.rowwise().sum().cwiseInverse().asDiagonal() * weight;
    blend_.resize(n, 4 * handles);
    for (Index k = 0; k < handles; ++k) {
      blend_.col(4 * k) = weight.col(k);
      for (Index a = 0; a < 3; ++a)
        blend_.col(4 * k + 1 + a) = weight.col(k).cwiseProduct(rest.row(a).transpose());
    }
    const Index hidden = 6;
    w1_ = wave(hidden, size_q(), 1.3) / std::sqrt(static_cast<double>(size_q()));
    w2_ = wave(3 * n, hidden, 0.7);
    bias_ = wave(hidden, 1, 2.1);
  }

  Index size_q() const { return 3 * blend_.cols(); }
  Index size_x() const { return 3 * blend_.rows(); }
  const MatX& blend() const { return blend_; }
  void set_strength(double s) { strength_ = s; }
  /// Handles of the rest shape moved by `motion` (3 x 4, affine) at handle k.
  VecX handles(const std::vector<Eigen::Matrix<double, 3, 4>>& motion) const {
    VecX q(size_q());
    for (std::size_t k = 0; k < motion.size(); ++k)
      q.segment<12>(12 * static_cast<Index>(k)) = motion[k].reshaped();
    return q;
  }

  VecX field(const VecX& q) const { return w2_ * activation(q); }  ///< f / strength
  VecX position(const VecX& q) const { return linear(q) + strength_ * field(q); }
  VecX jvp(const VecX& q, const VecX& dq) const { return linear(dq) + strength_ * field_jvp(q, dq); }
  VecX vjp(const VecX& q, const VecX& g) const {
    const Mat3X blended = as_columns(g) * blend_;
    return VecX(blended.reshaped()) + strength_ * field_vjp(q, g);
  }
  VecX field_jvp(const VecX& q, const VecX& dq) const { return w2_ * slope(q).cwiseProduct(w1_ * dq); }
  VecX field_vjp(const VecX& q, const VecX& g) const {
    return w1_.transpose() * slope(q).cwiseProduct(w2_.transpose() * g);
  }
  /// d(J^T g)/dq for a constant g
  MatX curvature(const VecX& q, const VecX& g) const {
    const VecX c = -2 * activation(q).cwiseProduct(slope(q)).cwiseProduct(w2_.transpose() * g);
    return strength_ * w1_.transpose() * c.asDiagonal() * w1_;
  }
  MatX jacobian(const VecX& q) const {
    MatX j(size_x(), size_q());
    for (Index k = 0; k < j.cols(); ++k) j.col(k) = jvp(q, VecX::Unit(size_q(), k));
    return j;
  }

 private:
  static MatX wave(Index rows, Index cols, double frequency) {
    MatX m(rows, cols);
    for (Index i = 0; i < m.size(); ++i)
      m.data()[i] = std::sin(frequency * static_cast<double>(i * i + i) + 0.4);
    return m;
  }
  VecX linear(const VecX& q) const {
    const Mat3X x = as_columns(q) * blend_.transpose();
    return x.reshaped();
  }
  VecX activation(const VecX& q) const { return (w1_ * q + bias_.col(0)).array().tanh(); }
  VecX slope(const VecX& q) const { return 1 - activation(q).array().square(); }

  MatX blend_;  ///< n x 4 handles
  MatX w1_, w2_, bias_;
  double strength_;
};

struct Minimum {
  bool converged = false;
  Index iterations = 0;
  VecX q;
};

/// Halves a step along p until the value falls; false if it does not.
bool search(const StepProblem& p, const SubspaceMap& map, const VecX& direction, double slope, VecX& q) {
  const double start = p.value(map.position(q));
  for (double t = 1; t > 1e-8; t *= 0.5) {
    const VecX trial = q + t * direction;
    // Below the rounding of the value a whole step of Newton's kind is taken.
    if (p.value(map.position(trial)) <= start + 1e-4 * t * slope + 1e-14 * std::abs(start)) {
      q = trial;
      return true;
    }
  }
  return false;
}

VecX reduced_gradient(const StepProblem& p, const SubspaceMap& map, const VecX& q) {
  VecX r(p.size());
  p.residual(map.position(q), r);
  return map.vjp(q, r);
}

/// H J, column by column through jvp.
MatX hessian_times(const StepProblem& p, const VecX& x, const MatX& j, bool project_psd) {
  const BlockMatrix& h = p.hessian(x, project_psd);
  MatX hj(j.rows(), j.cols());
  for (Index k = 0; k < j.cols(); ++k) {
    VecX column(j.rows());
    h.multiply(j.col(k), column, p.fixed());
    hj.col(k) = column;
  }
  return hj;
}

Minimum gauss_newton(const StepProblem& p, const SubspaceMap& map, const VecX& start, double tolerance) {
  Minimum m{false, 0, start};
  for (; m.iterations < 100; ++m.iterations) {
    const VecX g = reduced_gradient(p, map, m.q);
    if (g.norm() <= tolerance) {
      m.converged = true;
      return m;
    }
    const MatX j = map.jacobian(m.q);
    const MatX reduced = j.transpose() * hessian_times(p, map.position(m.q), j, true);
    const VecX step = -reduced.llt().solve(g);
    if (!search(p, map, step, g.dot(step), m.q)) return m;
  }
  return m;
}

Minimum bfgs(const StepProblem& p, const SubspaceMap& map, const VecX& start, double tolerance) {
  Minimum m{false, 0, start};
  const MatX j = map.jacobian(start);
  const VecX mass = p.system().mass().transpose().replicate(3, 1).reshaped();
  MatX inverse = (p.inertia() * j.transpose() * mass.asDiagonal() * j).inverse();
  VecX g = reduced_gradient(p, map, m.q);
  for (; m.iterations < 2000; ++m.iterations) {
    if (g.norm() <= tolerance) {
      m.converged = true;
      return m;
    }
    const VecX step = -inverse * g, before = m.q;
    if (!search(p, map, step, g.dot(step), m.q)) return m;
    const VecX s = m.q - before, next = reduced_gradient(p, map, m.q), y = next - g;
    g = next;
    if (s.dot(y) <= 0) continue;
    const VecX hy = inverse * y;
    const double sy = s.dot(y);
    inverse += (1 + y.dot(hy) / sy) / sy * s * s.transpose() - (hy * s.transpose() + s * hy.transpose()) / sy;
  }
  return m;
}

class Subspace : public ::testing::Test {
 protected:
  void build(const char* cells, const char* extra = "") {
    sim_ = make_simulation(fmt::format(R"(
time: {{step: 0.01, steps: 1}}
forward: {{type: newton, relative_tolerance: 1e-13}}
bodies:
  bar:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: {}}}}}
    density: 1000
    materials:
      - {{type: corotated, youngs_modulus: 1e5, poissons_ratio: 0.3}}
      - {{type: volume, youngs_modulus: 1e5, poissons_ratio: 0.3}}
    {}
)",
                                       cells, extra));
  }
  const Mat3X& rest() const { return sim_->system().bodies().front()->mesh.vertices; }
  StepProblem problem(const State& before) const {
    const StepTools t = sim_->tools();
    const double h = sim_->time_step();
    const StepContext c{h, h, 0};
    return {t.system, t.linear,   c, 1 / (h * h), inertial_prediction(t.system, c, before),
            before.x, t.workspace};
  }
  /// Handles bent and stretched, differing from one to the next.
  VecX start(const SubspaceMap& map) const {
    std::vector<Eigen::Matrix<double, 3, 4>> motion;
    for (Index k = 0; k < map.blend().cols() / 4; ++k) {
      const double a = 0.15 * static_cast<double>(k);
      Eigen::Matrix<double, 3, 4> m;
      m << Vec3(0, 0, 0.02 * a), Eigen::AngleAxisd(a, Vec3(1, 0.2, 0.1).normalized()).toRotationMatrix();
      motion.push_back(m);
    }
    return map.handles(motion);
  }
  VecX velocity() const {
    VecX v(sim_->system().num_dofs());
    for (Index i = 0; i < v.size(); ++i) v[i] = 0.3 * std::sin(0.4 * static_cast<double>(i));
    return v;
  }

  std::unique_ptr<Simulation> sim_;
};

TEST_F(Subspace, GradientIsThePulledBackResidual) {
  build("[4, 2, 2]");
  const SubspaceMap map(rest(), 2, 0.003);
  const VecX q = start(map);
  const State before{map.position(q), velocity(), 0};
  const StepProblem p = problem(before);
  const VecX g = reduced_gradient(p, map, q);
  VecX difference(q.size());
  for (Index k = 0; k < q.size(); ++k) {
    const VecX d = 1e-5 * VecX::Unit(q.size(), k);
    difference[k] = (p.value(map.position(q - 2 * d)) - 8 * p.value(map.position(q - d)) +
                     8 * p.value(map.position(q + d)) - p.value(map.position(q + 2 * d))) /
                    12e-5;
  }
  EXPECT_LE(relative_error(g, difference), 1e-8);
  EXPECT_GT(map.field(q).norm() * 0.003, 1e-3);  // f matters
}

TEST_F(Subspace, TwoMinimisersOfTheReducedStepAgree) {
  build("[4, 2, 2]");
  const SubspaceMap map(rest(), 2, 0.003);
  const VecX q = start(map);
  const State before{map.position(q), velocity(), 0};
  const StepProblem p = problem(before);
  const Minimum newton = gauss_newton(p, map, q, 1e-9), quasi = bfgs(p, map, q, 1e-8);
  ASSERT_TRUE(newton.converged);
  ASSERT_TRUE(quasi.converged);
  EXPECT_LE((map.position(newton.q) - map.position(quasi.q)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(p.value(map.position(newton.q)), p.value(map.position(q)));
  RecordProperty("gauss_newton_iterations", static_cast<int>(newton.iterations));
  RecordProperty("bfgs_iterations", static_cast<int>(quasi.iterations));
}

TEST_F(Subspace, OfFullRankWithoutFieldIsTheFullSpace) {
  build("[2, 1, 1]",
        "initial: {twist: {axis: [1, 0, 0], point: [0, 0.05, 0.05], rate: 4}, velocity: [0.5, 0, 0.2]}");
  const SubspaceMap map(rest(), 3, 0);
  ASSERT_EQ(map.size_q(), map.size_x());
  const Eigen::FullPivLU<MatX> lu(map.blend());
  ASSERT_EQ(lu.rank(), map.blend().rows());
  Tape tape;
  sim_->run(tape, true);
  const State& before = tape.states.front();
  const Mat3X handles = lu.solve(as_columns(before.x).transpose()).transpose();
  const StepProblem p = problem(before);
  const Minimum m = gauss_newton(p, map, handles.reshaped(), 1e-9);
  ASSERT_TRUE(m.converged);
  EXPECT_LE((map.position(m.q) - tape.states.back().x).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_GT((tape.states.back().x - before.x).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_F(Subspace, AdjointIsThatOfTheFullSpaceWithAProjectedSolve) {
  build("[4, 2, 2]");
  SubspaceMap map(rest(), 2, 0.003);
  const VecX q0 = start(map), v0 = velocity();
  const Index n = v0.size(), steps = 2;
  const double h = sim_->time_step();
  const VecX weight = (0.7 * VecX::LinSpaced(n, 0, static_cast<double>(n - 1)).array() + 0.3).sin();
  std::vector<State> states;
  std::vector<VecX> qs;
  const auto run = [&](const VecX& v, double strength) {
    map.set_strength(strength);
    states = {{map.position(q0), v, 0}};
    qs = {q0};
    for (Index k = 0; k < steps; ++k) {
      const State before = states.back();
      const Minimum m = gauss_newton(problem(before), map, qs.back(), 1e-9);
      EXPECT_TRUE(m.converged);
      qs.push_back(m.q);
      const VecX x = map.position(m.q);
      states.push_back({x, (x - before.x) / h, before.t + h});
    }
    return weight.dot(states.back().x);
  };
  const double strength = 0.003;
  run(v0, strength);
  VecX ax = weight, av = VecX::Zero(n);
  double d_strength = 0;
  const VecX mass = sim_->system().mass().transpose().replicate(3, 1).reshaped();
  for (std::size_t k = steps; k >= 1; --k) {
    const StepProblem p = problem(states[k - 1]);
    const VecX a = ax + av / h;
    VecX r(n);
    p.residual(states[k].x, r);
    const MatX j = map.jacobian(qs[k]), hj = hessian_times(p, states[k].x, j, false);
    const MatX reduced = j.transpose() * hj + map.curvature(qs[k], r);
    const VecX zq = reduced.partialPivLu().solve(map.vjp(qs[k], a)), z = j * zq;
    const VecX phi = map.field(qs[k]);
    d_strength += a.dot(phi) - zq.dot(map.field_vjp(qs[k], r)) - (hj * zq).dot(phi);
    ax = mass.cwiseProduct(z) / (h * h) - av / h;
    av = mass.cwiseProduct(z) / h;
  }
  d_strength += ax.dot(map.field(q0));

  const VecX d = av.normalized();
  const double e = 1e-3, by_v = (run(v0 + e * d, strength) - run(v0 - e * d, strength)) / (2 * e);
  EXPECT_NEAR(av.dot(d), by_v, 1e-6 * std::abs(by_v));
  const double s = 1e-6, by_s = (run(v0, strength + s) - run(v0, strength - s)) / (2 * s);
  EXPECT_NEAR(d_strength, by_s, 1e-6 * std::abs(by_s));
}

}  // namespace
}  // namespace resilin::test

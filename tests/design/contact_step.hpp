// Implicit Euler steps with contact on nodes, written on the public interfaces of core/solve alone: the outer
// problem R(x) = J^T r/h with r = respond(r - rho u~(x)), and several ways to solve it.
#pragma once

#include "core/solve/integrator.hpp"
#include "core/solve/step_problem.hpp"
#include "tests/design/contact_law.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <memory>
#include <vector>

namespace resilin::test {

/// A node that may touch something; plain data, fixed during a step.
struct Contact {
  Index node = 0;
  Mat3 frame = Mat3::Identity();  ///< columns n, t1, t2
  double gap = 0;                 ///< signed distance at the start of the step [m]
};

struct ContactSet {
  std::vector<Contact> contacts;
  VecX r;  ///< impulses in the contact frames [N s], 3 per contact
  Index size() const { return static_cast<Index>(contacts.size()); }
  const Contact& operator[](Index c) const { return contacts[static_cast<std::size_t>(c)]; }
};

/// y = x + h v + h^2 (g + M^-1 f)
inline VecX inertial_prediction(const System& s, const StepContext& c, const State& before) {
  VecX f = VecX::Zero(s.num_dofs());
  for (const auto& force : s.forces()) force->add_force(c, before.x, before.v, f);
  const double h = c.time_step;
  VecX y = before.x + h * before.v;
  for (Index i = 0; i < s.num_nodes(); ++i)
    y.segment<3>(3 * i) += h * h * (s.gravity() + f.segment<3>(3 * i) / s.mass()[i]);
  return y;
}

/// The given nodes against the plane z = 0.
inline ContactSet contacts_with_ground(const std::vector<Index>& nodes, const VecX& x) {
  ContactSet set;
  for (const Index i : nodes) {
    Contact c{i, Mat3::Zero(), x[3 * i + 2]};
    c.frame.col(0) = Vec3::UnitZ();
    c.frame.col(1) = Vec3::UnitX();
    c.frame.col(2) = Vec3::UnitY();
    set.contacts.push_back(c);
  }
  set.r = VecX::Zero(3 * set.size());
  return set;
}

/// One step's contact problem: what every contact solver sees.
struct ContactProblem {
  const StepProblem& step;
  const ContactSet& set;
  double mu = 0;

  double h() const { return step.context().time_step; }
  /// u~ = u + (gap/h) n, contact frames.
  VecX velocity(ConstVec x) const {
    VecX u(3 * set.size());
    for (Index c = 0; c < set.size(); ++c) {
      u.segment<3>(3 * c) = set[c].frame.transpose() *
                            (x.segment<3>(3 * set[c].node) - step.previous().segment<3>(3 * set[c].node)) /
                            h();
      u[3 * c] += set[c].gap / h();
    }
    return u;
  }
  /// J f
  VecX restrict_to_contacts(ConstVec f) const {
    VecX u(3 * set.size());
    for (Index c = 0; c < set.size(); ++c)
      u.segment<3>(3 * c) = set[c].frame.transpose() * f.segment<3>(3 * set[c].node);
    return u;
  }
  /// J^T r
  VecX spread(ConstVec r) const {
    VecX f = VecX::Zero(step.size());
    for (Index c = 0; c < set.size(); ++c)
      f.segment<3>(3 * set[c].node) += set[c].frame * r.segment<3>(3 * c);
    for (Index i = 0; i < f.size(); ++i)
      if (step.fixed()[static_cast<std::size_t>(i)]) f[i] = 0;
    return f;
  }
  double mass(Index c) const { return step.system().mass()[set[c].node]; }
  /// |r - respond(r - rho u~)|, with the node's own mass as rho.
  double law_residual(ConstVec r, ConstVec u) const {
    double sum = 0;
    for (Index c = 0; c < set.size(); ++c)
      sum += (r.segment<3>(3 * c) - respond(r.segment<3>(3 * c) - mass(c) * u.segment<3>(3 * c), mu).r)
                 .squaredNorm();
    return std::sqrt(sum);
  }
};

struct ContactReport {
  bool converged = false;
  Index outer = 0;  ///< linearisations, or passes of a single loop
  Index inner = 0;  ///< iterations on the impulses, summed
  double force_residual = 0, law_residual = 0;
};

/// H^-1 for many right-hand sides.
class HessianFactor {
 public:
  /// Exact Hessian, or the projected one if that is not definite and may_project; false if it cannot be
  /// factorised.
  bool factorize(const StepProblem& p, ConstVec x, bool may_project) {
    for (const bool project : {false, true}) {
      if (project && !may_project) break;
      const SpMat& a = matrix_.update(p.hessian(x, project), p.fixed());
      if (!factor_) factor_ = p.linear_solver().analyze(a);
      const auto result = factor_->factorize(a);
      if (result == Factorization::Result::PositiveDefinite) return true;
      if (!may_project && result == Factorization::Result::Indefinite && factor_->solves_indefinite())
        return true;
    }
    return false;
  }
  MatX solve(const MatX& b) {
    MatX free_b(matrix_.size(), b.cols()), free_x(matrix_.size(), b.cols()), x(b.rows(), b.cols());
    for (Index k = 0; k < b.cols(); ++k) matrix_.gather(b.col(k), free_b.col(k));
    factor_->solve(free_b, free_x);
    for (Index k = 0; k < b.cols(); ++k) matrix_.scatter(free_x.col(k), x.col(k));
    return x;
  }

 private:
  FreeMatrix matrix_;
  std::unique_ptr<Factorization> factor_;
};

/// Columns J^T/h of all contacts.
inline MatX contact_columns(const ContactProblem& p) {
  MatX b(p.step.size(), 3 * p.set.size());
  for (Index k = 0; k < b.cols(); ++k) b.col(k) = p.spread(VecX::Unit(b.cols(), k)) / p.h();
  return b;
}

/// u~ = W r + u0 in the contact frames, solved for r from the given one; returns the number of iterations.
using InnerSolve = Index (*)(const MatX& w, const VecX& u0, double mu, VecX& r);

constexpr double kImpulseTolerance = 1e-14;

/// Semismooth Newton on F(r) = r - respond(r - rho u~(r)), halving a step that does not reduce |F|.
inline Index semismooth_newton(const MatX& w, const VecX& u0, double mu, VecX& r) {
  const Index n = r.size();
  const double rho = 1 / w.diagonal().mean();
  const auto evaluate = [&](const VecX& at, MatX* d) {
    const VecX tau = at - rho * (w * at + u0);
    VecX f = at;
    if (d != nullptr) d->setZero(n, n);
    for (Index k = 0; k < n; k += 3) {
      const Response q = respond(tau.segment<3>(k), mu);
      f.segment<3>(k) -= q.r;
      if (d != nullptr) d->block<3, 3>(k, k) = q.d_tau;
    }
    return f;
  };
  MatX d;
  for (Index it = 0; it < 200; ++it) {
    const VecX f = evaluate(r, &d);
    if (f.norm() <= kImpulseTolerance * (1 + r.norm())) return it;
    const MatX jacobian = MatX::Identity(n, n) - d + rho * d * w;
    const VecX dr = jacobian.partialPivLu().solve(-f);
    double t = 1;
    while (t > 1e-3 && evaluate(r + t * dr, nullptr).norm() > (1 - 1e-4 * t) * f.norm()) t *= 0.5;
    // Where no fraction helps the whole step is taken: on another piece of the law |F| may have to rise
    // first.
    r += (t > 1e-3 ? t : 1.0) * dr;
  }
  return 200;
}

/// Projected Gauss-Seidel: the same identity over the 3 x 3 blocks in turn.
inline Index gauss_seidel(const MatX& w, const VecX& u0, double mu, VecX& r) {
  const Index n = r.size();
  VecX rho(n / 3);
  for (Index c = 0; c < n / 3; ++c)
    rho[c] =
        1 / Eigen::SelfAdjointEigenSolver<Mat3>(Mat3(w.block<3, 3>(3 * c, 3 * c))).eigenvalues().maxCoeff();
  for (Index it = 1; it <= 20000; ++it) {
    double change = 0;
    for (Index c = 0; c < n / 3; ++c) {
      const Vec3 u = w.middleRows<3>(3 * c) * r + u0.segment<3>(3 * c);
      const Vec3 next = respond(r.segment<3>(3 * c) - rho[c] * u, mu).r;
      change += (next - r.segment<3>(3 * c)).squaredNorm();
      r.segment<3>(3 * c) = next;
    }
    if (std::sqrt(change) <= kImpulseTolerance * (1 + r.norm())) return it;
  }
  return 20000;
}

inline bool update_report(const ContactProblem& p, ConstVec x, ConstVec r, const VecX& imbalance,
                          ContactReport& report) {
  report.force_residual = norm(imbalance);
  report.law_residual = p.law_residual(r, p.velocity(x));
  report.converged =
      report.force_residual <= 1e-9 + 2 * p.step.rounding_floor(x) && report.law_residual <= 1e-12;
  return report.converged;
}

/// Outer Newton on R(x) = J^T r/h; each linearisation is a contact problem on the Delassus operator W.
inline ContactReport newton_contact(const ContactProblem& p, InnerSolve inner, MutVec x, VecX& r) {
  ContactReport report;
  HessianFactor factor;
  const MatX columns = contact_columns(p);
  VecX residual(p.step.size());
  for (report.outer = 0; report.outer < 60; ++report.outer) {
    p.step.residual(x, residual);
    if (update_report(p, x, r, residual - p.spread(r) / p.h(), report)) return report;
    if (!factor.factorize(p.step, x, true)) return report;
    const MatX g = factor.solve(columns);
    const VecX free_step = factor.solve(residual);
    const VecX u0 = p.velocity(x) - p.restrict_to_contacts(free_step) / p.h();
    report.inner += inner(columns.transpose() * g, u0, p.mu, r);
    x += g * r - free_step;
  }
  return report;
}

/// [Ly 2020] on the prefactored matrix alone: each pass reads the impulse off the residual, applies the law
/// node by node with the node's own mass, and takes one global step.
inline ContactReport splitting_contact(const ContactProblem& p, MutVec x, VecX& r,
                                       Index max_passes = 200000) {
  ContactReport report;
  VecX residual(p.step.size()), dx(p.step.size());
  for (report.outer = 0; report.outer < max_passes; ++report.outer) {
    p.step.residual(x, residual);
    const VecX implied = p.h() * p.restrict_to_contacts(residual), u = p.velocity(x);
    for (Index c = 0; c < p.set.size(); ++c)
      r.segment<3>(3 * c) = respond(implied.segment<3>(3 * c) - p.mass(c) * u.segment<3>(3 * c), p.mu).r;
    const VecX imbalance = p.spread(r) / p.h() - residual;
    if (update_report(p, x, r, imbalance, report)) return report;
    p.step.solve_prefactored(imbalance, dx);
    x += dx;
  }
  return report;
}

/// Columns of A^-1 at contact nodes, one number per pair of nodes and axis; kept while A stays the same.
class KeptColumns {
 public:
  /// Column of a node [3n]: the solve of all three axes at once, since A couples no axes.
  const VecX& column(const StepProblem& p, Index node) {
    if (revision_ != p.system().revision() || inertia_ != p.inertia()) {
      kept_.assign(static_cast<std::size_t>(p.system().num_nodes()), VecX());
      revision_ = p.system().revision();
      inertia_ = p.inertia();
    }
    VecX& column = kept_[static_cast<std::size_t>(node)];
    if (column.size() == 0) {
      VecX b = VecX::Zero(p.size());
      b.segment<3>(3 * node).setOnes();
      column.resize(p.size());
      p.solve_prefactored(b, column);
      ++solves_;
    }
    return column;
  }
  Index solves() const { return solves_; }

 private:
  std::vector<VecX> kept_;
  std::uint64_t revision_ = 0;
  double inertia_ = 0;
  Index solves_ = 0;
};

/// Active set of one global step, mu = infinity: forces lambda that put the active nodes (positions x_free
/// without contact) on their contact points; a node leaves when it is pulled, enters when it would penetrate.
/// Axes share the Schur complement S = (A^-1)_CC if pins hold whole nodes.
inline Index active_set(const ContactProblem& p, const MatX& s, const Mat3X& violation,
                        std::vector<char>& active, Mat3X& lambda) {
  const Index n = p.set.size();
  for (Index trial = 1; trial <= 100; ++trial) {
    std::vector<Index> set;
    for (Index c = 0; c < n; ++c)
      if (active[static_cast<std::size_t>(c)]) set.push_back(c);
    lambda.setZero(3, n);
    if (!set.empty())
      lambda(Eigen::all, set) =
          MatX(s(set, set)).llt().solve(MatX(violation(Eigen::all, set).transpose())).transpose();
    const Mat3X offset = lambda * s - violation;  // from the contact points, [m]
    bool changed = false;
    for (Index c = 0; c < n; ++c) {
      const Vec3 normal = p.set[c].frame.col(0);
      char& a = active[static_cast<std::size_t>(c)];
      const bool now = a ? normal.dot(lambda.col(c)) > 0 : normal.dot(offset.col(c)) < 0;
      changed = changed || now != static_cast<bool>(a);
      a = now;
    }
    if (!changed) return trial;
  }
  return 100;
}

/// Complementarity contact with sticking [DiffPD]: local and global steps, each with its active set on the
/// Schur complement of the prefactored matrix.
inline ContactReport schur_contact(const ContactProblem& p, KeptColumns& columns, MutVec x, VecX& r,
                                   Index max_passes = 20000) {
  ContactReport report;
  const Index n = p.set.size();
  MatX s(n, n);
  for (Index c = 0; c < n; ++c)
    for (Index d = 0; d < n; ++d) s(d, c) = columns.column(p.step, p.set[c].node)[3 * p.set[d].node];
  std::vector<char> active(static_cast<std::size_t>(n), 1);
  VecX residual(p.step.size()), dx(p.step.size());
  Mat3X violation(3, n), lambda = Mat3X::Zero(3, n);
  for (report.outer = 0; report.outer < max_passes; ++report.outer) {
    p.step.residual(x, residual);
    if (update_report(p, x, r, p.spread(r) / p.h() - residual, report)) return report;
    p.step.solve_prefactored(-residual, dx);
    for (Index c = 0; c < n; ++c) {
      const Index k = 3 * p.set[c].node;
      const Vec3 target = p.step.previous().segment<3>(k) - p.set[c].gap * p.set[c].frame.col(0);
      violation.col(c) = target - x.segment<3>(k) - dx.segment<3>(k);
    }
    report.inner += active_set(p, s, violation, active, lambda);
    for (Index c = 0; c < n; ++c) {
      r.segment<3>(3 * c) = p.h() * p.set[c].frame.transpose() * lambda.col(c);
      const VecX& column = columns.column(p.step, p.set[c].node);
      for (Index i = 0; i < column.size(); ++i) dx[i] += column[i] * lambda(i % 3, c);
    }
    x += dx;
  }
  return report;
}

}  // namespace resilin::test

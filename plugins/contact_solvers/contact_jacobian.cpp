#include "plugins/contact_solvers/contact_jacobian.hpp"

namespace resilin {
namespace {

/// Added to the diagonal of K, whose entries are of order 1: a node that sticks to two colliders at once
/// leaves the share of each open. K only preconditions, so the answer does not change.
constexpr double kShift = 1e-9;

}  // namespace

void ContactJacobian::update(const StepProblem& problem, const BlockMatrix& hessian,
                             const std::vector<ActiveContact>& active) {
  problem_ = &problem;
  hessian_ = &hessian;
  active_ = &active;
  is_factorized_ = false;
  blocks_.clear();
  for (const ActiveContact& a : active)
    blocks_.push_back((a.law.d_force + a.law.d_position / a.rho + kShift * Mat3::Identity()).inverse());
  g_.resize(problem.size());
  u_.resize(problem.size());
}

double ContactJacobian::worth_of_factor() const {
  const double rows = 3 * static_cast<double>(count());
  return 2.0 / 3 * rows * rows * rows / problem_->prefactored_work();
}

void ContactJacobian::factorize() {
  is_factorized_ = true;
  nodes_.find(*active_);
  compliance_ = problem_->compliance(nodes_.list());
  const Index m = count();
  k_.resize(3 * m, 3 * m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      const auto& law = (*active_)[static_cast<std::size_t>(i)].law;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double s = 0;
        for (const auto& [row, w] : nodes_.of(i))
          for (const auto& [column, v] : nodes_.of(j)) s += w * v * compliance_[axis](row, column);
        const auto a = static_cast<Index>(axis);
        k_.block<3, 1>(3 * i, 3 * j + a) = s * law.d_position.col(a);
      }
      if (i == j) k_.block<3, 3>(3 * i, 3 * i) += law.d_force + kShift * Mat3::Identity();
    }
  lu_.compute(k_);
}

VecX ContactJacobian::solve_law(const VecX& b, bool transposed) const {
  if (is_factorized_) return transposed ? VecX(lu_.transpose().solve(b)) : VecX(lu_.solve(b));
  VecX x(b.size());
  for (Index k = 0; k < count(); ++k) {
    const Mat3& inverse = blocks_[static_cast<std::size_t>(k)];
    x.segment<3>(3 * k) = (transposed ? Mat3(inverse.transpose()) : inverse) * b.segment<3>(3 * k);
  }
  return x;
}

void ContactJacobian::gather(ConstVec full, VecX& part) const {
  part.resize(3 * count());
  for (Index k = 0; k < count(); ++k)
    part.segment<3>(3 * k) = (*active_)[static_cast<std::size_t>(k)].nodes.gather(full);
}

void ContactJacobian::scatter_add(const VecX& part, MutVec full) const {
  for (Index k = 0; k < count(); ++k)
    (*active_)[static_cast<std::size_t>(k)].nodes.scatter_add(part.segment<3>(3 * k), full);
}

void ContactJacobian::multiply(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  hessian_->multiply(in.head(n), out.head(n), problem_->fixed());
  f_ = -in.tail(3 * count());
  scatter_add(f_, out.head(n));
  for (Index k = 0; k < count(); ++k) {
    const ActiveContact& a = (*active_)[static_cast<std::size_t>(k)];
    out.segment<3>(n + 3 * k) =
        a.law.d_position * a.nodes.gather(in.head(n)) + a.law.d_force * in.segment<3>(n + 3 * k);
  }
}

void ContactJacobian::precondition(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  problem_->precondition(in.head(n), u_);
  gather(u_, part_);
  f_ = in.tail(3 * count());
  for (Index k = 0; k < count(); ++k)
    f_.segment<3>(3 * k) -= (*active_)[static_cast<std::size_t>(k)].law.d_position * part_.segment<3>(3 * k);
  out.tail(3 * count()) = solve_law(f_, false);
  if (!is_factorized_) {  // B E ~ E / rho, as in the blocks: the law's rows are then solved exactly
    for (Index k = 0; k < count(); ++k) {
      const ActiveContact& a = (*active_)[static_cast<std::size_t>(k)];
      a.nodes.scatter_add(out.segment<3>(n + 3 * k) / a.rho, u_);
    }
    out.head(n) = u_;
    return;
  }
  g_ = in.head(n);
  f_ = out.tail(3 * count());
  scatter_add(f_, g_);
  problem_->precondition(g_, out.head(n));
}

void ContactJacobian::multiply_transposed(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  hessian_->multiply(in.head(n), out.head(n), problem_->fixed());
  for (Index k = 0; k < count(); ++k) {
    const ActiveContact& a = (*active_)[static_cast<std::size_t>(k)];
    const Vec3 z = in.segment<3>(n + 3 * k);
    a.nodes.scatter_add(a.law.d_position.transpose() * z, out.head(n));
    out.segment<3>(n + 3 * k) = a.rho * (a.law.d_force.transpose() * z - a.nodes.gather(in.head(n)));
  }
}

void ContactJacobian::precondition_transposed(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  if (is_factorized_) problem_->precondition(in.head(n), u_);
  gather(is_factorized_ ? ConstVec(u_) : in.head(n), part_);
  for (Index k = 0; k < count(); ++k) {
    const double rho = (*active_)[static_cast<std::size_t>(k)].rho;
    if (!is_factorized_) part_.segment<3>(3 * k) /= rho;  // E^T B ~ E^T / rho
    part_.segment<3>(3 * k) += in.segment<3>(n + 3 * k) / rho;
  }
  out.tail(3 * count()) = solve_law(part_, true);
  g_ = in.head(n);
  for (Index k = 0; k < count(); ++k) {
    const ActiveContact& a = (*active_)[static_cast<std::size_t>(k)];
    a.nodes.scatter_add(-a.law.d_position.transpose() * out.segment<3>(n + 3 * k), g_);
  }
  problem_->precondition(g_, out.head(n));
}

}  // namespace resilin

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
  is_separate_ = !active.empty();
  rows_.clear();
  Index before = -1;
  for (const ActiveContact& a : active) {
    const bool is_single = a.nodes.node[1] < 0 && a.nodes.weight[0] == 1 && a.nodes.is_free(0);
    const Mat3 block = a.law.d_force + a.law.d_position / a.rho + kShift * Mat3::Identity();
    rows_.push_back(
        {is_single ? a.nodes.node[0] : -1, a.rho, a.law.d_force, a.law.d_position, block.inverse()});
    // Contacts with colliders come first, by ascending nodes.
    is_separate_ = is_separate_ && is_single && a.nodes.node[0] > before;
    before = a.nodes.node[0];
  }
  g_.resize(problem.size());
  u_.resize(problem.size());
  part_.resize(3 * count());
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
    const Mat3& inverse = row(k).inverse;
    x.segment<3>(3 * k) = (transposed ? Mat3(inverse.transpose()) : inverse) * b.segment<3>(3 * k);
  }
  return x;
}

Vec3 ContactJacobian::gather(Index k, ConstVec full) const {
  const Index node = row(k).node;
  return node >= 0 ? Vec3(full.segment<3>(3 * node)) : nodes(k).gather(full);
}

void ContactJacobian::scatter_add(Index k, const Vec3& force, MutVec full) const {
  const Index node = row(k).node;
  if (node >= 0)
    full.segment<3>(3 * node) += force;
  else
    nodes(k).scatter_add(force, full);
}

void ContactJacobian::multiply_head(bool transposed, ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  hessian_->multiply(in.head(n), out, problem_->fixed());
  for (Index k = 0; k < count(); ++k) {
    const Vec3 z = in.segment<3>(n + 3 * k);
    scatter_add(k, transposed ? Vec3(row(k).d_position.transpose() * z) : Vec3(-z), out);
  }
}

void ContactJacobian::multiply(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  multiply_head(false, in, out.head(n));
  for (Index k = 0; k < count(); ++k)
    out.segment<3>(n + 3 * k) =
        row(k).d_position * gather(k, in.head(n)) + row(k).d_force * in.segment<3>(n + 3 * k);
}

void ContactJacobian::precondition(ConstVec in, MutVec out) const {
  if (!keeps_law()) return precondition_shared(in, out);
  const Index n = problem_->size();
  g_ = in.head(n);
  for (Index k = 0; k < count(); ++k) {
    const Row& r = row(k);
    const Vec3 f = r.inverse * (in.segment<3>(n + 3 * k) - r.d_position * in.segment<3>(3 * r.node) / r.rho);
    part_.segment<3>(3 * k) = f;
    g_.segment<3>(3 * r.node) += f;
  }
  problem_->precondition(g_, u_);
  out.head(n) = u_;
  for (Index k = 0; k < count(); ++k) {
    const Row& r = row(k);
    const Vec3 f = part_.segment<3>(3 * k),
               df = r.inverse *
                    (in.segment<3>(n + 3 * k) - r.d_position * u_.segment<3>(3 * r.node) - r.d_force * f);
    out.segment<3>(n + 3 * k) = f + df;
    out.segment<3>(3 * r.node) += df / r.rho;
  }
}

/// For contacts that may share nodes: forces from where the load alone would move them.
void ContactJacobian::precondition_shared(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  problem_->precondition(in.head(n), u_);
  for (Index k = 0; k < count(); ++k)
    part_.segment<3>(3 * k) = in.segment<3>(n + 3 * k) - row(k).d_position * gather(k, u_);
  out.tail(3 * count()) = solve_law(part_, false);
  if (!is_factorized_) {  // B E ~ E / rho, as in the blocks
    for (Index k = 0; k < count(); ++k) scatter_add(k, out.segment<3>(n + 3 * k) / row(k).rho, u_);
    out.head(n) = u_;
    return;
  }
  g_ = in.head(n);
  for (Index k = 0; k < count(); ++k) scatter_add(k, out.segment<3>(n + 3 * k), g_);
  problem_->precondition(g_, out.head(n));
}

void ContactJacobian::multiply_transposed(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  multiply_head(true, in, out.head(n));
  for (Index k = 0; k < count(); ++k) {
    const Row& r = row(k);
    out.segment<3>(n + 3 * k) =
        r.rho * (r.d_force.transpose() * in.segment<3>(n + 3 * k) - gather(k, in.head(n)));
  }
}

void ContactJacobian::precondition_transposed(ConstVec in, MutVec out) const {
  if (!keeps_law()) return precondition_transposed_shared(in, out);
  const Index n = problem_->size();
  g_ = in.head(n);
  for (Index k = 0; k < count(); ++k) {
    const Row& r = row(k);
    const Vec3 z = r.inverse.transpose() * (in.segment<3>(n + 3 * k) + in.segment<3>(3 * r.node)) / r.rho;
    part_.segment<3>(3 * k) = z;
    g_.segment<3>(3 * r.node) -= r.d_position.transpose() * z;
  }
  problem_->precondition(g_, u_);
  out.head(n) = u_;
  for (Index k = 0; k < count(); ++k) {
    const Row& r = row(k);
    const Vec3 z = part_.segment<3>(3 * k),
               dz = r.inverse.transpose() * (in.segment<3>(n + 3 * k) / r.rho - r.d_force.transpose() * z +
                                             u_.segment<3>(3 * r.node));
    out.segment<3>(n + 3 * k) = z + dz;
    out.segment<3>(3 * r.node) -= r.d_position.transpose() * dz / r.rho;
  }
}

void ContactJacobian::precondition_transposed_shared(ConstVec in, MutVec out) const {
  const Index n = problem_->size();
  if (is_factorized_) problem_->precondition(in.head(n), u_);
  for (Index k = 0; k < count(); ++k) {
    const double rho = row(k).rho;
    Vec3 part = gather(k, is_factorized_ ? ConstVec(u_) : in.head(n));
    if (!is_factorized_) part /= rho;  // E^T B ~ E^T / rho
    part_.segment<3>(3 * k) = part + in.segment<3>(n + 3 * k) / rho;
  }
  out.tail(3 * count()) = solve_law(part_, true);
  g_ = in.head(n);
  for (Index k = 0; k < count(); ++k)
    scatter_add(k, -row(k).d_position.transpose() * out.segment<3>(n + 3 * k), g_);
  problem_->precondition(g_, out.head(n));
}

}  // namespace resilin

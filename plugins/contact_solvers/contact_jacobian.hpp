// The linearised step with contact, and its approximate inverse from the prefactorised matrix.
#pragma once

#include "plugins/contact_solvers/contact_set.hpp"
#include "plugins/contact_solvers/free_nodes.hpp"

#include <Eigen/LU>

#include <array>

namespace resilin {

/// With E the selection of the contacts' nodes, or their weights, D_k = d respond/d trial and Q_k = dL_k/dx:
///     J (dx, df) = (H dx - E df,  Q E^T dx + (I - D) df)
/// over 3n + 3m numbers, m contacts. The preconditioner has A, the matrix of Projective Dynamics, in the
/// place of H: with B ~ A^-1 and S = E^T B E it takes two solves with A and one with the 3m x 3m matrix K = I
/// - D + Q S, or only with its diagonal blocks, with 1/rho in the place of S_kk. The blocks are enough where
/// inertia dominates stiffness, as in light cloth; K costs a factorisation for each set of contacts and
/// modes.
class ContactJacobian {
 public:
  /// Preconditions with blocks.
  void update(const StepProblem& problem, const BlockMatrix& hessian,
              const std::vector<ActiveContact>& active);
  /// Preconditions with K from now on.
  void factorize();
  /// Iterations of a Krylov method that take the work of factorize(), by counted operations.
  double worth_of_factor() const;
  Index size() const { return problem_->size() + 3 * count(); }
  Index count() const { return static_cast<Index>(active_->size()); }

  void multiply(ConstVec in, MutVec out) const;
  void precondition(ConstVec in, MutVec out) const;
  /// The same for the transpose, whose last 3m rows are multiplied by rho of their contacts: then all rows
  /// have the units of dL/dx.
  void multiply_transposed(ConstVec in, MutVec out) const;
  void precondition_transposed(ConstVec in, MutVec out) const;

 private:
  VecX solve_law(const VecX& b, bool transposed) const;  ///< K^-1 b
  /// E^T of a vector over all nodes, one contact after the other, and E of one over contacts (adding).
  void gather(ConstVec full, VecX& part) const;
  void scatter_add(const VecX& part, MutVec full) const;

  const StepProblem* problem_ = nullptr;
  const BlockMatrix* hessian_ = nullptr;
  const std::vector<ActiveContact>* active_ = nullptr;
  FreeNodes nodes_;
  std::array<MatX, 3> compliance_;
  bool is_factorized_ = false;
  MatX k_;
  Eigen::PartialPivLU<MatX> lu_;
  std::vector<Mat3> blocks_;  ///< inverses of its diagonal blocks
  mutable VecX g_, u_, part_, f_;
};

}  // namespace resilin

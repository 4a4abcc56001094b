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
/// - D + Q S, or only with its diagonal blocks, with 1/rho in the place of S_kk, and one solve with A. Where
/// contacts share no nodes that solve stands between two with the blocks: B has the load and the forces of
/// nodes that move by 1/rho each; what it leaves of the law, forces and nodes then make up for, exactly. The
/// blocks are enough where inertia dominates stiffness, as in light cloth, or nearly all touches; K costs a
/// factorisation for each set of contacts and modes.
class ContactJacobian {
 public:
  /// Preconditions with blocks.
  void update(const StepProblem& problem, const BlockMatrix& hessian,
              const std::vector<ActiveContact>& active);
  /// Preconditions with K from now on.
  void factorize();
  /// Iterations of a Krylov method that take the work of factorize(), by counted operations.
  double worth_of_factor() const;
  /// Whether the law's rows of J P v are those of v, but for rounding and kShift: blocks precondition, and
  /// every contact is that of one free node with one collider. Residuals then stay in the rows of H.
  bool keeps_law() const { return is_separate_ && !is_factorized_; }
  Index size() const { return problem_->size() + 3 * count(); }
  Index count() const { return static_cast<Index>(active_->size()); }

  void multiply(ConstVec in, MutVec out) const;
  void precondition(ConstVec in, MutVec out) const;
  /// The same for the transpose, whose last 3m rows are multiplied by rho of their contacts: then all rows
  /// have the units of dL/dx.
  void multiply_transposed(ConstVec in, MutVec out) const;
  void precondition_transposed(ConstVec in, MutVec out) const;
  /// The rows of H alone, of J or its transpose.
  void multiply_head(bool transposed, ConstVec in, MutVec out) const;

 private:
  /// What products need of a contact, in one place.
  struct Row {
    Index node;  ///< the only one, free along all axes; -1: see the contact
    double rho;
    Mat3 d_force, d_position, inverse;  ///< I - D, Q, and the inverse of the diagonal block of K
  };
  const Row& row(Index k) const { return rows_[static_cast<std::size_t>(k)]; }
  const ContactNodes& nodes(Index k) const { return (*active_)[static_cast<std::size_t>(k)].nodes; }
  VecX solve_law(const VecX& b, bool transposed) const;  ///< K^-1 b
  void precondition_shared(ConstVec in, MutVec out) const;
  void precondition_transposed_shared(ConstVec in, MutVec out) const;
  /// E^T of a vector over all nodes, and E of a force (adding), for one contact.
  Vec3 gather(Index k, ConstVec full) const;
  void scatter_add(Index k, const Vec3& force, MutVec full) const;

  const StepProblem* problem_ = nullptr;
  const BlockMatrix* hessian_ = nullptr;
  const std::vector<ActiveContact>* active_ = nullptr;
  std::vector<Row> rows_;
  bool is_separate_ = false;
  FreeNodes nodes_;
  std::array<MatX, 3> compliance_;
  bool is_factorized_ = false;
  MatX k_;
  Eigen::PartialPivLU<MatX> lu_;
  mutable VecX g_, u_, part_;
};

}  // namespace resilin

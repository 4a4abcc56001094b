// Private to StepProblem: the factor of A, which serves all axes along which the same nodes are free.
#pragma once

#include "core/energy/energy.hpp"
#include "core/solve/hold_by.hpp"
#include "core/solve/linear_solver.hpp"

#include <Eigen/Cholesky>

#include <memory>
#include <vector>

namespace resilin {

/// Columns of A^-1 at nodes that are or were held, and the Schur complement of those that are. A rounded
/// inverse has columns of its own, without which the corrected one would not be symmetric.
struct HeldColumns {
  std::vector<Index> column;  ///< number of each row's column, or -1
  MatX values;                ///< rows x room for columns
  Index count = 0;
  std::vector<Index> rows;  ///< of the held nodes, what the factor below is for
  Eigen::LLT<MatX> schur;
  MatX multiplier;
  /// Entries of the inverse between rows whose columns are there.
  MatX between(const std::vector<Index>& at) const;
};

/// The matrix A of Projective Dynamics restricted to the nodes that are free along some axes, with its factor
/// and what holds more nodes. Factors are made when they are first needed.
struct AxisGroup {
  std::vector<int> axes;        ///< coordinates that share a set of free nodes
  std::vector<Index> node;      ///< node of each row
  std::vector<Index> row;       ///< of each node, -1: none
  SpMat matrix;                 ///< lower and upper triangle
  std::vector<Index> slot;      ///< place among the values of each entry of the form, -1: a pinned node's
  std::vector<Index> diagonal;  ///< place of each diagonal entry
  MatX b, x;

  /// To be called when the values of the matrix have changed.
  void forget();
  /// Prepares solve() for held nodes: by the Schur complement S of those that have a row here, or by a factor
  /// of the matrix with these rows and columns emptied, which has the pattern and the ordering of the matrix.
  void hold(const std::vector<Index>& nodes, HoldBy by, bool exactly, const LinearSolver& linear);
  /// x = A^-1 b of the members with the held rows emptied: with S, x = A^-1 (b + E l), S l = -(A^-1 b) at
  /// them.
  void solve(bool exactly);
  /// Counted work of solve(), all axes.
  double solve_work() const;
  bool is_refactored() const { return is_refactored_; }
  /// Entries of the rounded inverse between nodes, all of which have a row here.
  MatX compliance(const std::vector<Index>& nodes, const LinearSolver& linear);

 private:
  static void apply(Factorization& f, const Eigen::Ref<const MatX>& right, Eigen::Ref<MatX> left,
                    bool exactly) {
    if (exactly)
      f.solve(right, left);
    else
      f.precondition(right, left);
  }
  void need_factor(const LinearSolver& linear);
  void need_emptied_factor(const LinearSolver& linear);
  void need_columns(const std::vector<Index>& rows, bool exactly);
  void need_schur(bool exactly);
  double correction_work() const;
  bool refactoring_pays() const;

  std::unique_ptr<Factorization> factor_, emptied_factor_;
  bool is_factored_ = false, is_emptied_factored_ = false;  ///< they hold for the present values
  SpMat emptied_;                                           ///< the matrix with held rows and columns emptied
  HeldColumns columns_[2];                                  ///< of the rounded inverse and of the exact one
  // What is held, and how.
  bool is_decided_ = false, is_refactored_ = false;
  HoldBy asked_ = HoldBy::Schur;
  std::vector<Index> held_, rows_;  ///< nodes, and their rows
};

/// Groups with the pattern of their matrices and where each entry of the form goes in them. Axes without any
/// free node have none.
std::vector<AxisGroup> make_groups(Index num_nodes, const std::vector<char>& fixed, const Triplets& form);

}  // namespace resilin

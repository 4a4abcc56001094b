// Private to StepProblem: the factor of A, which serves all axes along which the same nodes are free.
#pragma once

#include "core/energy/energy.hpp"
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

/// The matrix A of Projective Dynamics restricted to the nodes that are free along some axes, with its
/// factor.
struct AxisGroup {
  std::vector<int> axes;        ///< coordinates that share a set of free nodes
  std::vector<Index> node;      ///< node of each row
  std::vector<Index> row;       ///< of each node, -1: none
  SpMat matrix;                 ///< lower and upper triangle
  std::vector<Index> slot;      ///< place among the values of each entry of the form, -1: a pinned node's
  std::vector<Index> diagonal;  ///< place of each diagonal entry
  std::unique_ptr<Factorization> factor;
  MatX b, x;
  HeldColumns held[2];  ///< of the rounded inverse and of the exact one

  void forget_columns() {
    for (HeldColumns& h : held) {
      h.column.assign(node.size(), -1);
      h.count = 0;
      h.rows.clear();
    }
  }
  void solve(const Eigen::Ref<const MatX>& right, Eigen::Ref<MatX> left, bool exactly) {
    if (exactly)
      factor->solve(right, left);
    else
      factor->precondition(right, left);
  }
  /// Prepares S for the held nodes that have a row here.
  void hold(const std::vector<Index>& nodes, bool exactly);
  /// Entries of the rounded inverse between nodes, all of which have a row here.
  MatX compliance(const std::vector<Index>& nodes);
  /// x += A^-1 E l with S l = -x at the held rows.
  void correct(bool exactly);
};

/// Groups with the pattern of their matrices and where each entry of the form goes in them. Axes without any
/// free node have none.
std::vector<AxisGroup> make_groups(Index num_nodes, const std::vector<char>& fixed, const Triplets& form);

}  // namespace resilin

// Triangular solves with a supernodal Cholesky factor, for a few right-hand sides at a time.
#pragma once

#include "plugins/linear_solvers/supernodal_plan.hpp"

#include <utility>
#include <vector>

namespace resilin {

/// Solves with a factor whose pattern does not change. A BLAS serves wide panels and many right-hand sides;
/// with the three columns of a simulation step most of its time goes into copies. Subtrees of the elimination
/// tree are handled by several threads, in a partition that does not depend on their number, so that the bits
/// do not either.
class SupernodalSolve {
 public:
  explicit SupernodalSolve(const SupernodalFactor& pattern) : plan_(plan_supernodal(pattern)) {}
  /// x = A^-1 b, any number of columns. `factor` has the pattern that this was made for.
  void solve(const SupernodalFactor& factor, const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x);
  /// Keeps the values of the factor rounded to single precision, for solve_single(): x = (L' L'^T)^-1 b with
  /// L' the rounded factor, computed in double precision. It takes half the memory traffic, which is what a
  /// solve costs, and is symmetric and definite like A^-1. False if the range of single precision is too
  /// small.
  bool keep_single(const SupernodalFactor& factor);
  void solve_single(const SupernodalFactor& factor, const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x);

 private:
  template <class T>
  std::pair<const T*, Index> run(const SupernodalFactor& f, Index s, Index j) const;
  template <class T, int kColumns>
  void forward_panel(const SupernodalFactor& f, Index s, double* panel, double* outside);
  template <class T, int kColumns>
  void backward_panel(const SupernodalFactor& f, Index s, double* panel);
  template <class T, int kColumns>
  void solve_columns(const SupernodalFactor& f, const double* b, Index b_stride, double* x, Index x_stride);
  template <class T>
  void solve_all(const SupernodalFactor& f, const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x);

  SupernodalPlan plan_;
  std::vector<double> y_;        ///< [row of L][column]
  std::vector<double> outside_;  ///< [task][row of the top][column]: what tasks subtract there
  std::vector<double> panels_;   ///< [task][column][row of a panel]
  std::vector<float> packed_;    ///< the factor in single precision, runs of four columns one after another
  std::vector<Index> packed_start_;  ///< per supernode
};

}  // namespace resilin

// The transposed Jacobian of a step with contact, assembled and factorised: what iterative solvers are
// compared with, and what they are checked by.
#pragma once

#include "plugins/contact_solvers/contact_set.hpp"

#include <Eigen/SparseLU>

namespace resilin {

/// Sparse LU of the rows of ContactJacobian::multiply_transposed() that are free. The ordering is kept while
/// the pattern is the same.
class BorderedLu {
 public:
  /// s = J^-T b; false if J is singular.
  bool solve(const BlockMatrix& hessian, const std::vector<char>& fixed,
             const std::vector<ActiveContact>& active, const VecX& b, VecX& s);

 private:
  void assemble(const SpMat& h, Index coordinates, const std::vector<ActiveContact>& active);

  FreeMatrix free_;
  SpMat matrix_, analyzed_;
  Eigen::SparseLU<SpMat, Eigen::COLAMDOrdering<int>> lu_;
};

}  // namespace resilin

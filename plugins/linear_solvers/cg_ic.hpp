// Conjugate gradients with an incomplete Cholesky factor: memory and time per iteration grow with the matrix
// alone, not with its fill. For large meshes and definite matrices.
#pragma once

#include "plugins/linear_solvers/conjugate_gradient.hpp"

namespace resilin {

class CgIncompleteCholesky final : public LinearSolver {
 public:
  using Options = ConjugateGradientOptions;
  CgIncompleteCholesky(const Options& options, const BuildContext&) : options_(options) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;

 private:
  Options options_;
};

}  // namespace resilin

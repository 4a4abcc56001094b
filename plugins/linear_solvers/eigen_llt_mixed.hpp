// Eigen's simplicial LL^T in single precision, refined to double precision by conjugate gradients that it
// preconditions: half the memory of a factor. (CHOLMOD has no single precision before SuiteSparse 7.)
#pragma once

#include "plugins/linear_solvers/conjugate_gradient.hpp"

namespace resilin {

class EigenLltMixed final : public LinearSolver {
 public:
  using Options = ConjugateGradientOptions;
  EigenLltMixed(const Options& options, const BuildContext&) : options_(options) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;

 private:
  Options options_;
};

}  // namespace resilin

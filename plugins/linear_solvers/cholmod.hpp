// CHOLMOD: supernodal Cholesky with dense kernels for definite matrices, simplicial LDL^T for indefinite
// ones.
#pragma once

#include "core/solve/linear_solver.hpp"

namespace resilin {

class Cholmod final : public LinearSolver {
 public:
  struct Options {
    std::string ordering = "best";
    void visit(ParamVisitor& v);
  };
  Cholmod(const Options& options, const BuildContext&) : options_(options) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;

 private:
  Options options_;
};

}  // namespace resilin

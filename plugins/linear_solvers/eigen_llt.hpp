// Eigen's simplicial LL^T: for definite matrices only.
#pragma once

#include "core/solve/linear_solver.hpp"

namespace resilin {

class EigenLlt final : public LinearSolver {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  EigenLlt(const Options&, const BuildContext&) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;
};

}  // namespace resilin

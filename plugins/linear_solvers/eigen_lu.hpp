// Eigen's supernodal LU. Pivots stay on the diagonal where that is stable, which it is for definite matrices;
// indefinite ones are factorised with row exchanges. Twice the work of a symmetric factorisation, but the
// most robust one for indefinite matrices.
#pragma once

#include "core/solve/linear_solver.hpp"

namespace resilin {

class EigenLu final : public LinearSolver {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  EigenLu(const Options&, const BuildContext&) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;
};

}  // namespace resilin

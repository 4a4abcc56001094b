// Eigen's simplicial LDL^T: no dependency, slow on large three-dimensional meshes.
#pragma once

#include "core/solve/linear_solver.hpp"

namespace resilin {

class EigenLdlt final : public LinearSolver {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  EigenLdlt(const Options&, const BuildContext&) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override;
};

}  // namespace resilin

// The adjoint system by a sparse factorisation of the exact Hessian, refined until its residual is small.
#pragma once

#include "plugins/backward/adjoint_options.hpp"

namespace resilin {

class DirectAdjoint final : public BackwardSolver {
 public:
  struct Options {
    double relative_tolerance = 1e-10;
    bool reanalyze = false;
    void visit(ParamVisitor& v);
  };
  DirectAdjoint(const Options& options, const BuildContext&) : options_(options) {}
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override;
  double relative_tolerance() const override { return options_.relative_tolerance; }
  /// Of the last factorisation in this workspace; zero before the first.
  Factorization::Work work(const StepProblem& problem) const;

 private:
  Options options_;
};

}  // namespace resilin

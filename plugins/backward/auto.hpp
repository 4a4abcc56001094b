// Chooses between the other solvers of this folder by counted work, not by the clock. With each set of
// parameters, the first adjoint system is solved by all of them from the same guess, each until it has
// reached the tolerance or has taken more work than the best one before it, that of earlier parameters first;
// the one with the least work solves the rest. The choice thus depends on scene and parameters alone, and a
// run has the same bits as one in which the chosen solver is named. The log and the summary say what was
// chosen; name it in the scene to keep it.
#pragma once

#include "plugins/backward/direct.hpp"
#include "plugins/backward/pd_fixed_point.hpp"
#include "plugins/backward/pd_krylov.hpp"
#include "plugins/backward/pd_lbfgs.hpp"

namespace resilin {

class AutoAdjoint final : public BackwardSolver {
 public:
  struct Options {
    AdjointTolerance tolerance;
    void visit(ParamVisitor& v) { tolerance.visit(v); }
  };
  AutoAdjoint(const Options& options, const BuildContext& context);
  SolveReport solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const override;
  std::string choice(Workspace& workspace) const override;
  double relative_tolerance() const override { return krylov_.relative_tolerance(); }

 private:
  struct Scratch;
  enum Candidate { kKrylov, kLbfgs, kFixedPoint, kDirect, kCandidates };

  SolveReport run(Candidate c, const StepProblem& problem, ConstVec x, ConstVec b, MutVec z,
                  Index max_iterations) const;
  /// Counted work of an iteration (of a system for the direct solver; 0: not known yet), given that of a
  /// product with the Hessian.
  double iteration_work(Candidate c, const StepProblem& problem, double product) const;
  SolveReport choose(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z, Scratch& s) const;

  Index max_iterations_;
  PdKrylov krylov_;
  PdLbfgsAdjoint lbfgs_;
  PdFixedPoint fixed_point_;
  DirectAdjoint direct_;
};

}  // namespace resilin

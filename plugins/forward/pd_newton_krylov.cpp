#include "plugins/forward/pd_newton_krylov.hpp"

namespace resilin {

SolveReport PdNewtonKrylov::solve(const StepProblem& problem, MutVec x) const {
  return solve_inexact_newton(
      problem, options_, [](const BlockMatrix&) {},
      [&](ConstVec in, MutVec out) { problem.precondition(in, out); }, x,
      problem.workspace().slot<InexactNewtonScratch>(this));
}

}  // namespace resilin

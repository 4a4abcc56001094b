#include "plugins/forward/pd_lbfgs.hpp"

namespace resilin {

void PdLbfgs::Options::visit(ParamVisitor& v) {
  tolerances.visit(v);
  v.integer("history", history,
            {.doc = "steps that the Hessian is updated with; none is gradient descent preconditioned by A",
             .min = 0,
             .max = 1000});
}

SolveReport PdLbfgs::solve(const StepProblem& problem, MutVec x) const {
  return solve_quasi_newton(problem, options_.tolerances, options_.history, x,
                            problem.workspace().slot<QuasiNewtonScratch>(this));
}

}  // namespace resilin

// Whether a solved step is a minimum of its energy or a saddle.
#pragma once

#include "core/solve/solvers.hpp"

namespace resilin {

/// A direction in which g curves downwards at x, p^T H p < 0, or an empty vector if there is none. Conjugate
/// gradients on H, preconditioned by A, with a constant right-hand side of random numbers: they go on to a
/// relative residual of 1e-4 unless they meet one. A direction of negative curvature that is this hard to see
/// is not found.
RESILIN_API VecX find_negative_curvature(const StepProblem& problem, ConstVec x);

/// Where `report` says that the solve met negative curvature (or tolerances().saddles is "always"): while the
/// solution is no minimum, follows a direction of negative curvature down and solves again, at most five
/// times; then the report says that the step did not converge. A saddle from which the energy falls by no
/// more than its rounding counts as a minimum. Adds to the report.
RESILIN_API void leave_saddles(const ForwardSolver& forward, const StepProblem& problem, MutVec x,
                               SolveReport& report);

}  // namespace resilin

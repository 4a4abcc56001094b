// L-BFGS around the constant matrix A of Projective Dynamics: what `pd_lbfgs` is, and `pd` for materials that
// are no projection.
#pragma once

#include "core/solve/lbfgs.hpp"
#include "core/solve/solvers.hpp"

namespace resilin {

struct QuasiNewtonScratch {
  VecX r, p, step, change;
  LbfgsHistory history;
  LineSearchScratch search;
};

/// x <- x - t B R(x) with t from backtracking and B the L-BFGS update of A^-1 by the last `pairs` steps [Liu,
/// Bouaziz and Kavan 2017, algorithm 1]. If a direction allows no decrease, the history is forgotten once.
SolveReport solve_quasi_newton(const StepProblem& problem, const Tolerances& tolerances, Index pairs,
                               MutVec x, QuasiNewtonScratch& s);

}  // namespace resilin

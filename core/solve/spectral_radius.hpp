// What decides whether fixed points around the prefactored matrix of Projective Dynamics converge.
#pragma once

#include "core/solve/step_problem.hpp"

namespace resilin {

/// Spectral radius of A^-1 dA = I - A^-1 H on the free coordinates of a step, H its Hessian at x: the factor
/// by which an iteration z <- A^-1 (dA z + b) reduces its error [DiffPD 2021, section 5.1]. By Lanczos'
/// method with full orthogonalisation, which keeps two vectors for each of its steps; accurate to 1e-5 of the
/// value. Throws Error(Numerics) if 400 steps do not suffice.
RESILIN_API double spectral_radius(const StepProblem& problem, ConstVec x);

}  // namespace resilin

// Krylov methods with a preconditioner: for symmetric systems, and GMRES for any.
#pragma once

#include "core/base/parallel.hpp"
#include "core/base/types.hpp"

#include <string>
#include <vector>

namespace resilin {

/// Vectors of a Krylov method, kept between calls.
struct KrylovScratch {
  VecX r, z, p, q, w, v, y, r1, r2, d, d1, d2;
};
struct KrylovReport {
  enum class Stop { Converged, NegativeCurvature, IterationLimit, Breakdown };
  Stop stop = Stop::IterationLimit;
  Index iterations = 0;
  double residual = 0;  ///< |b - H x|
};
using LinearMap = FunctionRef<void(ConstVec in, MutVec out)>;

/// Conjugate gradients for H x = b, preconditioned by P ~ H^-1 (symmetric positive definite), from x = 0 or
/// the given x if `warm`. Stops when |b - H x| <= tolerance, by the recurrence of the method; where `exact`
/// is given it then checks |b - exact(x)|, the promised residual, and goes on from there if that is too
/// large: h may be a rounded form of it. On p^T H p <= 0 it stops with NegativeCurvature and x as it was
/// before that direction (for a Newton method: a descent direction, or zero at the first iteration).
RESILIN_API KrylovReport conjugate_gradients(LinearMap h, LinearMap p, const LinearMap* exact, ConstVec b,
                                             MutVec x, bool warm, double tolerance, Index max_iterations,
                                             KrylovScratch& s);

/// Restarted GMRES [Saad and Schultz 1986] for any H, preconditioned from the right by P ~ H^-1, from the
/// given x if `warm`, else from x = 0. Stops when |b - H x| <= tolerance, which is checked.
struct GmresScratch {
  std::vector<VecX> basis;
  VecX z, w;
};
RESILIN_API KrylovReport gmres(LinearMap h, LinearMap p, ConstVec b, MutVec x, bool warm, double tolerance,
                               Index max_iterations, Index restart, GmresScratch& s);

/// MINRES [Paige and Saunders 1975] for symmetric, possibly indefinite H, same preconditioner and stop rule
/// (the true residual is checked before it reports Converged). From x = 0.
RESILIN_API KrylovReport minres(LinearMap h, LinearMap p, ConstVec b, MutVec x, double tolerance,
                                Index max_iterations, KrylovScratch& s);

}  // namespace resilin

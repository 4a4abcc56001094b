// How it is now: plain data.
#pragma once

#include "core/base/types.hpp"

#include <limits>
#include <string>
#include <vector>

namespace resilin {

struct State {
  VecX x;        ///< positions [m], 3n
  VecX v;        ///< velocities [m/s], 3n
  double t = 0;  ///< [s]
};

/// Outcome of an iterative solve. Not converging is a value; the caller's policy decides what follows.
struct [[nodiscard]] SolveReport {
  bool converged = false;
  Index iterations = 0;         ///< outer iterations
  Index evaluations = 0;        ///< of the energy and its gradient
  Index linear_iterations = 0;  ///< of a Krylov method, or solves with the factor
  double residual = std::numeric_limits<double>::quiet_NaN();   ///< what was reached [N]
  double tolerance = std::numeric_limits<double>::quiet_NaN();  ///< what was asked for [N]
  std::string note;                                             ///< why it stopped, if not converged
  Index worst_node = -1;    ///< with the largest residual, if not converged; -1: not looked for
  double worst_force = 0;   ///< that residual [N]
  Index adhering = 0;       ///< nodes that a collider pulls, because they would penetrate if it did not
  double largest_pull = 0;  ///< on one of them [N]
  double adjoint = 0;       ///< |z|_2 of the solution of an adjoint system
  /// The energy curved downwards somewhere on the way: where the solve ended may be a saddle.
  bool met_negative_curvature = false;
  Index saddles = 0;  ///< solutions that were left because they were no minimum
};

}  // namespace resilin

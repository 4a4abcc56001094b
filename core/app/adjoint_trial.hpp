// Whether fixed points around the prefactored matrix converge, and how the backward solver of a scene does
// with any right-hand side: the trial of [DiffPD 2021, section 5.1].
#pragma once

#include "core/solve/simulation.hpp"

#include <vector>

namespace resilin::app {

struct AdjointTrial {
  /// Smallest and largest over the steps of the spectral radius of A^-1 dA = I - A^-1 H on the free
  /// coordinates.
  double least_radius = 0, largest_radius = 0;
  Index right_hand_sides = 0;
  Index converged = 0;            ///< of these
  std::vector<Index> iterations;  ///< of those that converged, ascending
  Index median() const { return iterations.empty() ? 0 : iterations[iterations.size() / 2]; }
};

/// Simulates, and then solves `right_hand_sides` adjoint systems with standard normal right-hand sides from
/// zero, the k-th at step k modulo the steps. The matrices are those of implicit Euler steps at the states of
/// the simulation, whatever its integrator is. Nodes in contact are held, as they are by contact that sticks.
/// Throws Error(Numerics) as a simulation does.
AdjointTrial try_adjoints(const Simulation& simulation, Index right_hand_sides);

}  // namespace resilin::app

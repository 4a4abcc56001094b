// Steps by backward difference formulas: what implicit Euler and BDF2 have in common, forward and adjoint.
#pragma once

#include "core/solve/integrator.hpp"

namespace resilin {

/// v+ = (x+ - x_ref)/h, (v+ - v_ref)/h = M^-1 (f + M g - D(v+) - grad E(x+)) with x_ref = sum_j w_j x_j over
/// one or two earlier states (v_ref likewise), f taken at sum_j e_j (x_j, v_j). h is the formula's own time
/// constant: the step length for implicit Euler, two thirds of it for BDF2.
/// Rayleigh damping D = alpha M v+ + beta dt(grad E), where the formula itself gives the rate dt(grad E) =
/// (grad E(x+) - sum_j w_j grad E(x_j))/h: to the order of the formula that is K(x) v, without the derivative
/// of K that a product K(x) v would bring into gradients.
struct DifferenceFormula {
  double h = 0;                      ///< [s]
  std::array<Index, 2> state{};      ///< earlier states in the tape, the latest first
  std::array<double, 2> weight{};    ///< w_j; 0 for a state that is not used
  std::array<double, 2> forecast{};  ///< e_j
  Index count = 1;                   ///< states used
};

/// Appends the state after a step with the formula, and its record.
RESILIN_API void difference_step(const StepTools& tools, const StepContext& context,
                                 const DifferenceFormula& formula, Tape& tape);
/// Its adjoint, see Integrator::backward.
RESILIN_API SolveReport difference_backward(const StepTools& tools, const Tape& tape,
                                            const StepRecord& record, const DifferenceFormula& formula,
                                            std::vector<Adjoint>& adjoints, SystemCotangent& cotangent);

/// Names the node with the largest residual, less the forces of contacts, of a solve that did not converge.
RESILIN_API void locate_residual(const StepProblem& problem, ConstVec x,
                                 const std::vector<NodeContact>& contacts, SolveReport& report);

}  // namespace resilin

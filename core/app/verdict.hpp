// What an optimisation was worth, beyond what its optimizer says.
#pragma once

#include "core/app/journaled_objective.hpp"

#include <string>
#include <vector>

namespace resilin::app {

enum class Outcome {
  Converged,          ///< the loss fell, and the optimizer or the noise of the loss says that this is the end
  NotConverged,       ///< a limit was reached, or the optimizer gave up
  AlreadyStationary,  ///< the start could not be improved by more than the noise of the loss
  NoInfluence,        ///< the loss depends on none of the parameters
  WithinNoise,        ///< the loss fell visibly, but the solves are too loose to be sure
  NoMinimum           ///< the gradient vanishes at the start, but the loss is lower elsewhere
};
const char* name_of(Outcome outcome);  ///< "converged", "not_converged", ...

struct Verdict {
  Outcome outcome = Outcome::NotConverged;
  std::string text;   ///< for people
  bool fell = false;  ///< by more than its noise
  VecX found;         ///< the best point; the start where nothing better can be told from it
  double loss = 0;
  std::vector<std::string> without_influence;  ///< parameters that the loss does not depend on

  bool good() const {
    return outcome == Outcome::Converged || outcome == Outcome::AlreadyStationary ||
           (outcome == Outcome::NotConverged && fell);
  }
};

/// Noise decides, see Objective::noise:
///   - a loss has fallen if it is lower by more than the noise of both losses; if it is lower by a thousandth
///   of
///     itself, but not by more than noise, the lower point is kept and what to do about the noise is said;
///   - a point is stationary if the optimizer's rule says so, or if at no later trial its gradient promised a
///     fall by more than noise;
///   - a parameter has no influence if the loss stays within noise when it is moved by a quarter to a half of
///     the distance between its bounds (without bounds: a tenth of its size). This is simulated only where
///     the gradient at the start, if there is one, gives reason to, and the optimizer left it where it was.
/// Where only values were asked for, no gradient is computed here either.
Verdict judge(Task& task, const JournaledObjective& objective, const OptimizerReport& report);

}  // namespace resilin::app

// Runs of a task under disturbed controllers: what learning by trial sees of it, without a gradient.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

/// One run of N steps. Columns are steps; the rows are those of all controllers that learn, one below the
/// other.
struct Episode {
  MatX observations;  ///< [inputs x N], what their sensors see at the start of each step
  MatX outputs;       ///< [outputs x N], what they gave during it, the disturbance included
  VecX rewards;       ///< [N, unit of the loss], how much the loss fell in each step; they add up to -loss
  double loss = 0;    ///< of the whole run
};

/// The policy view of an objective: outputs y = mu(s; u) of observations s, mu the controllers of the scene
/// and u their weights, the variables of the objective. Only what has variables is seen and disturbed.
///
/// The reward of step k is L(frames before k) - L(frames up to k) where a loss is a sum over frames; a loss
/// that is no such sum comes in with the last step. That of frame 0, on which no output has an effect, comes
/// in with the first.
class RESILIN_API EpisodicObjective {
 public:
  virtual ~EpisodicObjective();
  virtual Index num_steps() const = 0;    ///< N
  virtual Index num_inputs() const = 0;   ///< numbers of an observation
  virtual Index num_outputs() const = 0;  ///< numbers of an output

  /// Runs once with y_k = mu(s_k; u) + noise.col(k) [outputs x N]. With zeros the loss has the bits of
  /// Objective::value. Throws as that does: Interrupted, BudgetSpent, and Error(Numerics) where the
  /// simulation fails or an output is outside the range of what it drives.
  virtual Episode run(ConstVec u, const MatX& noise) = 0;

  /// y(:, j) = mu(s(:, j); u), the same bits as in a run.
  virtual void outputs(ConstVec u, const MatX& s, MatX& y) = 0;
  /// du += sum over j of (dmu(s(:, j); u)/du)^T z(:, j). The same bits for any number of threads.
  virtual void add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) = 0;
};

}  // namespace resilin

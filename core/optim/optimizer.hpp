// Minimisers of a function within bounds.
#pragma once

#include "core/base/state.hpp"
#include "core/optim/episode.hpp"
#include "core/plugin/registry.hpp"

#include <exception>
#include <string>

namespace resilin {

/// Thrown by an Objective instead of an evaluation that would cost more than is left of a budget. Not an
/// Error: the optimizer ends with the best point that it has.
class RESILIN_API BudgetSpent : public std::exception {
 public:
  explicit BudgetSpent(std::string message) : message_(std::move(message)) {}
  ~BudgetSpent() override;
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// f(u) with or without its gradient. Both throw Interrupted when the job is asked to end, BudgetSpent, and
/// Error(Numerics) where f does not exist (a simulation that fails there): such a point is not admissible,
/// but others may be. Any other Error ends the job.
class RESILIN_API Objective {
 public:
  virtual ~Objective();
  virtual Index size() const = 0;
  virtual double evaluate(ConstVec u, MutVec gradient) = 0;
  /// f(u) alone, the same bits as evaluate(). An optimizer that uses no gradient asks for this: it costs no
  /// backward pass.
  virtual double value(ConstVec u) = 0;
  /// How far the last loss is uncertain [its unit]: by rounding and by what the solves left over. Two losses
  /// that differ by less are equal as far as anyone can tell. 0 where nothing is known; after value() no more
  /// than a lower bound, for it takes the gradient to know how states and solves enter.
  virtual double noise() const { return 0; }
  /// For optimizers that learn controllers by trial; null where nothing is controlled. Belongs to the
  /// objective. Throws Error(Input) with its place if a variable is no weight of a controller, or has a
  /// regularizer, which no run could tell of.
  virtual EpisodicObjective* episodes() { return nullptr; }
};

struct OptimizerReport {
  bool converged = false;
  Index iterations = 0;
  Index evaluations = 0;
  Index failed_evaluations = 0;  ///< those of them at points that were not admissible
  double loss = 0;
  std::string note;  ///< why it stopped
};

/// Must be deterministic: it is resumed by running it again from the start on the recorded evaluations (see
/// EvaluationJournal), so equal answers have to lead to equal questions.
class RESILIN_API Optimizer : public Component {
 public:
  /// Starts from u (within the bounds), which is evaluated first, and leaves the best point there. From a
  /// point that is not admissible it steps back; if the start is none, its Error goes through. So does a
  /// BudgetSpent before the first evaluation; a later one ends it with the best point so far.
  virtual OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const = 0;
};
RESILIN_KIND(Optimizer, "optimizer");

}  // namespace resilin

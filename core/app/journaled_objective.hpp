// The objective of an optimisation that can be killed at any time.
#pragma once

#include "core/app/job.hpp"
#include "core/optim/journal.hpp"
#include "core/optim/task.hpp"
#include "core/output/progress.hpp"

#include <optional>
#include <string>
#include <vector>

namespace resilin::app {

/// Answers from the journal as long as it can, then simulates, records each evaluation in the journal and
/// writes checkpoint.json.
class JournaledObjective final : public Objective {
 public:
  JournaledObjective(const Job& job, Task& task, EvaluationJournal& journal);

  Index size() const override { return task_.size(); }
  /// Throws Interrupted between two steps, and Error(Numerics) that names evaluation and parameters.
  double evaluate(ConstVec u, MutVec gradient) override;

  const std::vector<double>& losses() const { return losses_; }  ///< of all evaluations
  const std::vector<double>& gradient_norms() const { return gradient_norms_; }
  Index best_evaluation() const { return best_; }  ///< counted from 1; 0: none yet
  double best_loss() const { return best_ == 0 ? 0 : losses_[static_cast<std::size_t>(best_) - 1]; }
  const VecX& best() const { return best_u_; }
  void finish_progress() { progress_.reset(); }

 private:
  double simulate(ConstVec u, MutVec gradient);
  void remember(ConstVec u, double loss, ConstVec gradient);
  void write_checkpoint(ConstVec u) const;
  std::string loss_text() const;

  const Job& job_;
  Task& task_;
  EvaluationJournal& journal_;
  std::vector<double> losses_, gradient_norms_;
  Index best_ = 0;
  VecX best_u_;
  std::optional<Progress> progress_;
};

/// "parameters": {path: value or list} for u.
void write_parameters(JsonWriter& out, const Task& task, ConstVec u);

}  // namespace resilin::app

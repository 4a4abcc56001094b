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

/// A point, and what its gradient promised to the evaluations that came after it.
struct JudgedPoint {
  Index evaluation = 0;  ///< counted from 1; 0: none yet
  VecX u, gradient;
  double loss = 0, noise = 0;
  Index trials = 0;
  double worst_promise = 0;  ///< largest of -gradient . (trial - u) over the noise of both losses

  void set(Index number, ConstVec at, ConstVec slope, double value, double uncertainty);
  void judge(ConstVec trial, double trial_noise);
  /// No trial was promised a fall of the loss that could be told from its noise: as far as the loss can tell,
  /// this is a stationary point.
  bool is_stationary_to_noise() const { return trials > 0 && worst_promise <= 1; }
};

/// Answers from the journal as long as it can, then simulates, records each evaluation in the journal and
/// writes checkpoint.json. `suffix`: put at the end of that file's stem where there are several.
class JournaledObjective final : public Objective {
 public:
  JournaledObjective(const Job& job, Task& task, EvaluationJournal& journal, std::string suffix);

  Index size() const override { return task_.size(); }
  /// Throws Interrupted between two steps, and Error(Numerics) that names evaluation and parameters where the
  /// simulation fails or its loss is not a number. The first evaluation excepted, that is recorded too.
  double evaluate(ConstVec u, MutVec gradient) override;
  double noise() const override { return noise_; }

  /// Of all evaluations; not a number for those that failed.
  const std::vector<double>& losses() const { return losses_; }
  const std::vector<double>& gradient_norms() const { return gradient_norms_; }
  Index num_failed() const { return num_failed_; }
  const JudgedPoint& first() const { return first_; }
  const JudgedPoint& best() const { return best_; }
  std::string checkpoint() const { return job_.path("checkpoint" + suffix_ + ".json"); }
  void finish_progress() { progress_.reset(); }

 private:
  double simulate(ConstVec u, MutVec gradient);
  void remember(ConstVec u, double loss, ConstVec gradient);
  void remember_failure(ConstVec u);
  void write_checkpoint(ConstVec u) const;
  std::string loss_text() const;

  const Job& job_;
  Task& task_;
  EvaluationJournal& journal_;
  std::string suffix_;
  std::vector<double> losses_, gradient_norms_;
  double noise_ = 0;
  Index num_failed_ = 0;
  JudgedPoint first_, best_;
  std::optional<Progress> progress_;
};

}  // namespace resilin::app

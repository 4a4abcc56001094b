// The objective of an optimisation that can be killed at any time.
#pragma once

#include "core/app/job.hpp"
#include "core/app/journaled_episodes.hpp"
#include "core/optim/journal.hpp"
#include "core/optim/step_budget.hpp"
#include "core/optim/task.hpp"
#include "core/output/progress.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace resilin::app {

/// A point, and what its gradient promised to the evaluations that came after it.
struct JudgedPoint {
  Index evaluation = 0;  ///< counted from 1; 0: none yet
  VecX u, gradient;      ///< the gradient is empty if none was asked for; then it promises nothing
  double loss = 0, noise = 0;
  Index trials = 0;
  double worst_promise = 0;  ///< largest of -gradient . (trial - u) over the noise of both losses

  void set(Index number, ConstVec at, const VecX& slope, double value, double uncertainty);
  void judge(ConstVec trial, double trial_noise);
  /// No trial was promised a fall of the loss that could be told from its noise: as far as the loss can tell,
  /// this is a stationary point.
  bool is_stationary_to_noise() const { return has_gradient() && trials > 0 && worst_promise <= 1; }
  bool has_gradient() const { return gradient.size() > 0; }
};

/// Answers from the journal as long as it can, then simulates, records each evaluation in the journal and
/// writes checkpoint.json. Episodes have a journal of their own, episodes.bin, which `mode` opens as the
/// other was. `suffix`: put at the end of these files' stems where there are several. `budget`: steps that
/// all evaluations and episodes together may cost, 0 for no limit.
class JournaledObjective final : public Objective {
 public:
  JournaledObjective(const Job& job, Task& task, EvaluationJournal& journal, RecordFile::Open mode,
                     std::string suffix, Index budget);

  Index size() const override { return task_.size(); }
  /// Throws Interrupted between two steps, and Error(Numerics) that names evaluation and parameters where the
  /// simulation fails or its loss is not a number. The first evaluation excepted, that is recorded too.
  /// BudgetSpent before an evaluation that could exceed the budget.
  double evaluate(ConstVec u, MutVec gradient) override { return answer(u, &gradient); }
  double value(ConstVec u) override { return answer(u, nullptr); }
  double noise() const override { return noise_; }
  EpisodicObjective* episodes() override;

  /// Of all evaluations; not a number for those that failed, the norms also where no gradient was asked for.
  const std::vector<double>& losses() const { return losses_; }
  const std::vector<double>& gradient_norms() const { return gradient_norms_; }
  /// What had been spent after each of them, on the episodes before it as well.
  const std::vector<StepCount>& steps() const { return steps_; }
  const StepCount& spent() const { return budget_.used(); }  ///< on all evaluations and episodes
  Index num_failed() const { return num_failed_; }
  const JudgedPoint& first() const { return first_; }
  const JudgedPoint& best() const { return best_; }
  std::string episode_file() const { return job_.path("episodes" + suffix_ + ".bin"); }
  std::string checkpoint() const { return job_.path("checkpoint" + suffix_ + ".json"); }
  void finish_progress() { progress_.reset(); }

 private:
  double answer(ConstVec u, MutVec* gradient);
  double simulate(ConstVec u, MutVec* gradient);
  double assess(ConstVec u, MutVec* gradient);
  void begin_progress();
  EvaluationJournal::Record record(ConstVec u, double loss, const MutVec* gradient, double noise) const;
  /// `gradient`: empty if none was asked for.
  void remember(ConstVec u, double loss, const VecX& gradient);
  void remember_failure(ConstVec u);
  void add_steps(StepCount more);
  void write_checkpoint(ConstVec u) const;
  std::string loss_text() const;

  const Job& job_;
  Task& task_;
  EvaluationJournal& journal_;
  std::string suffix_;
  RecordFile::Open mode_;
  StepBudget budget_;
  std::unique_ptr<JournaledEpisodes> episodes_;
  std::vector<double> losses_, gradient_norms_;
  std::vector<StepCount> steps_;
  double noise_ = 0;
  Index num_failed_ = 0;
  JudgedPoint first_, best_;
  std::optional<Progress> progress_;
};

}  // namespace resilin::app

// The episodes of an optimisation that can be killed at any time.
#pragma once

#include "core/optim/journal.hpp"
#include "core/optim/step_budget.hpp"

#include <functional>
#include <string>

namespace resilin::app {

/// Answers from the journal as long as it can, then simulates and records. Counts steps in `spent`, which may
/// end it. `show`: told what goes on, between steps; may be empty.
class JournaledEpisodes final : public EpisodicObjective {
 public:
  JournaledEpisodes(Task& task, EpisodicObjective& episodes, const std::string& file, std::uint64_t problem,
                    RecordFile::Open mode, StepBudget& spent, std::function<void(const std::string&)> show);

  Index num_steps() const override { return episodes_.num_steps(); }
  Index num_inputs() const override { return episodes_.num_inputs(); }
  Index num_outputs() const override { return episodes_.num_outputs(); }
  Episode run(ConstVec u, const MatX& noise) override;
  void outputs(ConstVec u, const MatX& s, MatX& y) override { episodes_.outputs(u, s, y); }
  void add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) override {
    episodes_.add_vjp(u, s, z, du);
  }

 private:
  Episode simulate(ConstVec u, const MatX& noise, std::uint64_t question);

  Task& task_;
  EpisodicObjective& episodes_;
  EpisodeJournal journal_;
  StepBudget& spent_;
  std::function<void(const std::string&)> show_;
  Index count_ = 0;
};

}  // namespace resilin::app

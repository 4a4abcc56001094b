// The episodes of a task: its simulation under the controllers whose weights are its variables.
#pragma once

#include "core/optim/task.hpp"

#include <vector>

namespace resilin {

class TaskEpisodes final : public EpisodicObjective {
 public:
  /// Throws Error(Input) if a variable is no weight of a controller, or has a regularizer.
  explicit TaskEpisodes(Task& task);

  Index num_steps() const override { return task_.simulation_->num_steps(); }
  Index num_inputs() const override { return num_inputs_; }
  Index num_outputs() const override { return num_outputs_; }
  Episode run(ConstVec u, const MatX& noise) override;
  void outputs(ConstVec u, const MatX& s, MatX& y) override;
  void add_vjp(ConstVec u, const MatX& s, const MatX& z, MutVec du) override;

  /// A controller that learns, and where its inputs and outputs stand among those of all.
  struct Learner {
    ControlLoop* loop = nullptr;
    Index first_input = 0, first_output = 0;
  };

 private:
  bool is_weight_of(const ParameterEntry& e, const ControlLoop& loop) const;
  /// Writes u to the laws. The rest of the system does not depend on it, and keeps its factors.
  void assign(ConstVec u);
  /// The loss of what has been observed, as far as it is a sum over frames.
  double loss_so_far(const std::vector<std::unique_ptr<LossPass>>& passes) const;

  Task& task_;
  std::vector<Learner> learners_;
  Index num_inputs_ = 0, num_outputs_ = 0;
};

}  // namespace resilin

// A task: a simulation, the parameters that may change, and the losses that judge the outcome.
#pragma once

#include "core/base/random.hpp"
#include "core/model/scene_options.hpp"
#include "core/optim/loss.hpp"
#include "core/optim/optimizer.hpp"
#include "core/optim/regularizer.hpp"
#include "core/solve/simulation.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace resilin {

/// One entry of the task's `parameters`: a path pattern whose matches all get the same values.
struct TaskVariable {
  std::string path;
  std::string key, where;  ///< of the entry: "parameters[0]", and its place in the file
  std::string unit;
  std::vector<ParameterEntry> entries;  ///< matches in the table, all of one size
  Index offset = 0, size = 0;           ///< in u
  bool log_scale = false;
  VecX lower, upper;                         ///< of the parameter, not of its logarithm
  VecX start, truth;                         ///< first guess; values as the scene is written
  std::unique_ptr<Regularizer> regularizer;  ///< may be null
};

/// Uncertainty of a loss, each part [unit of the loss].
struct LossNoise {
  /// eps |L_i| of every loss, and to first order the rounding of the states that it looks at: eps times the
  /// largest coordinate of the frame for each position, 2/h times that for each velocity, all signs against
  /// us.
  double rounding = 0;
  double solver = 0;  ///< BackwardReport::solver_error
  double total() const { return rounding + solver; }
};

/// Steps that an evaluation has cost, one that failed included: those of the scene, however the solver went
/// through them (one that was split, or repeated on the way back for want of memory, is one). The preload and
/// the reference of a loss are simulated once for a task and are not counted.
struct StepCount {
  Index forward = 0, backward = 0;
  Index total() const { return forward + backward; }
};

/// The nodes in contact at the end of each step of a run.
using ContactHistory = std::vector<std::vector<NodeContact>>;

class TaskEpisodes;

/// The function that an optimizer sees: u holds the variables, logarithms where the scale is log.
class RESILIN_API Task final : public Objective {
 public:
  /// Throws Error(Input): unknown paths, bounds outside the parameter's range, a start outside the bounds, no
  /// losses, no bounds where a random start is to be drawn. The reference that a loss may need is simulated
  /// at the first evaluation, with the parameters as the scene is written. `start`: which of the random
  /// starts of options.seed, from 1.
  Task(const TaskOptions& options, const Registry& registry, const PlaceMap& places, Index start = 1);
  ~Task() override;

  Simulation& simulation() { return *simulation_; }
  const Simulation& simulation() const { return *simulation_; }
  const std::vector<TaskVariable>& variables() const { return variables_; }
  Index size() const override { return size_; }
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  const VecX& start() const { return start_; }

  /// Simulates and pulls the loss back, the regularizers added. Keeps no tape afterwards. Called between
  /// steps: `on_step`, if set.
  double evaluate(ConstVec u, MutVec gradient) override;
  double value(ConstVec u) override;
  double noise() const override { return last_noise.total(); }
  EpisodicObjective* episodes() override;
  /// Loss and gradient with respect to the whole parameter table at its present values; regularizers, which
  /// are functions of the variables, are not part of it.
  double evaluate_table(VecX& dtheta, BackwardReport* report = nullptr);
  /// What an evaluation does once: simulates the reference that a loss may need.
  void prepare() { ensure_reference(); }
  double loss_of_table(ContactHistory* contacts = nullptr);

  /// Parameter values of variable i for u.
  VecX values(ConstVec u, const TaskVariable& v) const;
  void apply(ConstVec u);  ///< writes u to the system

  std::function<void(Index step)> on_step;
  RolloutReport last_rollout;
  BackwardReport last_backward;
  LossNoise last_noise;  ///< of the last loss; without a gradient only eps |L_i| of each loss is known
  StepCount last_steps;  ///< of the last evaluation, also one that failed
  /// For how many gradients each thing was chosen by a backward solver that chooses (BackwardReport::choice).
  std::map<std::string, Index> backward_choices;

 private:
  friend class TaskEpisodes;
  void add_losses(const TaskOptions& options, BuildContext c, Diagnostics& found);
  void add_variable(const TaskParameter& p, const BuildContext& context, Random& random);
  void run(const std::function<void(Index, const State&)>& see, ContactHistory* contacts = nullptr);
  StepObserver observer(const std::function<void(Index, const State&)>& see);
  void ensure_reference();
  std::vector<std::unique_ptr<LossPass>> begin_losses() const;
  double total_loss(const std::vector<std::unique_ptr<LossPass>>& passes, double* sizes = nullptr) const;
  double regularization(ConstVec u, MutVec* gradient) const;

  std::unique_ptr<Simulation> simulation_;
  std::vector<std::unique_ptr<Loss>> losses_;
  std::vector<double> weights_;
  std::vector<Index> offsets_;  ///< of each loss's parameters in theta
  std::vector<TaskVariable> variables_;
  VecX lower_, upper_, start_;
  VecX written_;  ///< the whole table as the scene is written
  bool reference_pending_ = false;
  Index size_ = 0;
  std::unique_ptr<TaskEpisodes> episodes_;  ///< made when it is asked for
};

}  // namespace resilin

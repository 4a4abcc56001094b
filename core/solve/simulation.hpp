// A system together with the solvers that the scene chose for it.
#pragma once

#include "core/model/scene_options.hpp"
#include "core/solve/integrator.hpp"

#include <functional>
#include <memory>
#include <string>

namespace resilin {

/// Called after every step of the scene with its number (0: the initial state); returning false ends the run.
using StepObserver = std::function<bool(Index step, const State& state, const SolveReport& report)>;

struct RolloutReport {
  Index steps = 0;          ///< finished steps of the scene
  Index not_converged = 0;  ///< solves that missed their tolerance (policy warn)
  Index halvings = 0;       ///< steps that were split (policy halve_step)
  Index adhering = 0;       ///< nodes that colliders pulled, summed over the steps (see SolveReport)
  double largest_pull = 0;  ///< on one of them [N]
  Index saddles = 0;        ///< of the energy that steps had reached and left
  Index iterations = 0, linear_iterations = 0, evaluations = 0;
  double worst_residual_ratio = 0;  ///< largest residual over tolerance
  bool interrupted = false;         ///< the observer ended it
};

struct BackwardReport {
  Index iterations = 0;
  Index not_converged = 0;
  double worst_residual_ratio = 0;
  /// Sum over the steps of |z|_2 |r|_2, r the residual [N] that the forward solve left and z the adjoint of
  /// the step: to first order the loss is within this of that of exact solves.
  double solver_error = 0;
  std::string choice;  ///< BackwardSolver::choice
  /// Largest factor by which |dL/dx + dL/dv / h|, h the scene's step, grew within one step backwards (the
  /// loss's own part of the frame before it not counted), and in which step (from 1); steps in which it was
  /// more than adjoint.growth_warning.
  double worst_growth = 0;
  Index worst_growth_step = 0, growing_steps = 0;
};

class CheckpointStore;
struct CheckpointPlan;

class RESILIN_API Simulation {
 public:
  /// Builds system and solvers and runs the preload, if there is one. Throws Error.
  Simulation(const SceneOptions& scene, const Registry& registry, const PlaceMap& places);
  /// The same, but mistakes of the scene go to `found`; if that is not empty then, there is no preload, and
  /// only system() may be looked at.
  Simulation(const SceneOptions& scene, const Registry& registry, const PlaceMap& places, Diagnostics& found);

  System& system() { return *system_; }
  const System& system() const { return *system_; }
  Index num_steps() const { return steps_; }
  double time_step() const { return time_step_; }

  /// Steps from the system's initial state. With policy `stop` a step that does not converge, or becomes NaN,
  /// is an Error(Numerics) that says at which step and element, why, and what to try; the tape keeps all
  /// steps before it. The tape's states are kept only if `keep_all`, else just the last two.
  RolloutReport run(Tape& tape, bool keep_all, const StepObserver& observer = {}) const;

  /// Sums the gradient of a loss over a kept tape: `seed` adds dL/dx, dL/dv of each frame to the adjoint it
  /// is given (called for the frames in falling order). Returns dL/dtheta in the order of the parameter
  /// table.
  using FrameSeed = std::function<void(Index frame, Adjoint& adjoint)>;
  VecX gradient(const Tape& tape, const FrameSeed& seed, BackwardReport* report = nullptr) const;

  /// Rollout and gradient in one, within the scene's memory budget: the observer sees all frames in rising
  /// order, then `seed` gets each of them again in falling order. The same bits as run() and gradient(). If
  /// the observer ends it, report.interrupted is set and nothing is pulled back.
  using StateSeed = std::function<void(Index frame, const State& state, Adjoint& adjoint)>;
  VecX run_with_gradient(const StepObserver& observer, const StateSeed& seed, RolloutReport& report,
                         BackwardReport* backward = nullptr) const;

  /// Elastic energy [J] of a state at the end of step `step`; `controls`: those of that step, if any.
  double elastic_energy(const State& s, Index step, const VecX* controls = nullptr) const;
  Workspace& workspace() const { return *workspace_; }
  StepTools tools() const;

 private:
  struct Backward;
  /// From step `first` (where the tape ends) to `last`; false if the observer ended it.
  bool roll(Tape& tape, Index first, Index last, bool keep_all, const StepObserver& observer,
            RolloutReport& report) const;
  void pull_back(const Tape& tape, Index first, std::size_t first_record, Backward& pass) const;
  void pull_piece(Tape& tape, Index begin, Index end, Backward& pass) const;
  void watch_growth(const Adjoint& before, Backward& pass) const;
  void count(const SolveReport& r, const StepRecord& record, Backward& pass) const;
  VecX finish(Backward& pass, BackwardReport* report) const;
  bool first_pass(const CheckpointPlan& plan, CheckpointStore& store, const StepObserver& observer,
                  RolloutReport& report) const;
  void build(const SceneOptions& scene, const Registry& registry, const PlaceMap& places, Diagnostics& found);
  void check_contact(const SceneOptions& scene, const PlaceMap& places, Diagnostics& found) const;
  void preload(const SceneOptions& scene, const Registry& registry, const PlaceMap& places);
  /// One step of the scene, split in halves as long as it fails and the policy allows.
  void advance(Tape& tape, StepContext context, const StepControls& controls, int depth,
               RolloutReport& report) const;
  [[noreturn]] void fail(const Tape& tape, const StepContext& context, const SolveReport& report) const;

  std::unique_ptr<System> system_;
  std::unique_ptr<LinearSolver> linear_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<ForwardSolver> forward_;
  std::unique_ptr<BackwardSolver> backward_;
  std::unique_ptr<ContactSolver> contact_;  ///< null if nothing touches
  std::unique_ptr<Workspace> workspace_;
  Index steps_ = 0;
  double time_step_ = 0;
  std::string on_failure_;
  AdjointOptions adjoint_;
  MemoryOptions memory_;
};

}  // namespace resilin

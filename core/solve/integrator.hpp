// Time integrators: one equation each, forward and adjoint in one file.
#pragma once

#include "core/solve/contact_solver.hpp"

#include <functional>
#include <vector>

namespace resilin {

/// Values of the driven parameters during a step, and the state at which controllers gave them: the one at
/// the start of the scene's step, for all parts into which that may have been split.
struct StepControls {
  VecX values;  ///< empty: nothing is driven
  Index state = -1;
};

/// One solved step. Indices into Tape::states.
struct StepRecord {
  StepContext context;  ///< without controls; see step_context()
  Index before = 0, after = 0;
  Index earlier = -1;  ///< a state before `before` that the step depends on too; -1: none
  SolveReport report;
  std::vector<NodeContact> contacts;  ///< at the end of the step, by ascending nodes
  StepControls controls;              ///< set by Simulation

  /// The context in which the step was solved; it refers to the record.
  StepContext step_context() const {
    StepContext c = context;
    c.controls = controls.values.size() > 0 ? &controls.values : nullptr;
    return c;
  }
};

/// All that a backward pass needs: the states and what led from one to the next. frames[k] is the state at
/// the end of step k of the scene (frames[0] the initial one); with halved steps there are states in between.
struct Tape {
  std::vector<State> states;
  std::vector<StepRecord> records;
  std::vector<Index> frames;
};

/// dL/dx and dL/dv at one state; empty until something is added.
struct Adjoint {
  VecX x, v;
  bool empty() const { return x.size() == 0; }
  void ensure(Index n) {
    if (!empty()) return;
    x = VecX::Zero(n);
    v = VecX::Zero(n);
  }
};

/// What an integrator works with during a step; components are those of the Simulation.
struct StepTools {
  const System& system;
  const ForwardSolver& forward;
  const BackwardSolver& backward;
  const LinearSolver& linear;
  const ContactSolver* contact;  ///< null if nothing touches
  const AdjointOptions& adjoint;
  Workspace& workspace;
  /// The first step of a backward pass: nothing that an earlier pass left in the workspace is a guess for it.
  bool begins_backward = false;
};

class RESILIN_API Integrator : public Component {
 public:
  /// Whether its steps heed contact.
  virtual bool takes_contact() const { return false; }
  /// Appends the state after the step of length context.time_step that starts at tape.states.back(), and its
  /// record. A solve that did not converge is appended all the same: the report says so.
  virtual void step(const StepTools& tools, const StepContext& context, Tape& tape) const = 0;
  /// Pulls adjoints[record.after] back through the step: adds to the adjoints of the states it started from
  /// and to the cotangent. Returns the report of the linear solve, with |z| in report.adjoint.
  virtual SolveReport backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                               std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const = 0;
};
RESILIN_KIND(Integrator, "integrator");

}  // namespace resilin

#include "core/solve/simulation.hpp"

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/solve/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace resilin {
namespace {

constexpr int kMaxHalvings = 8;

/// Drops all but the last two states. Their record stays: the next step's guess looks at it, and a run must
/// not depend on what is kept.
void keep_last_two(Tape& tape) {
  if (tape.states.size() <= 2) return;
  tape.states.erase(tape.states.begin(), tape.states.end() - 2);
  StepRecord kept = std::move(tape.records.back());
  kept.before = 0;
  kept.after = 1;
  kept.earlier = -1;
  tape.records.assign(1, std::move(kept));
}

template <class Interface>
void make(std::unique_ptr<Interface>& component, const Registry& registry, const ComponentSpec& spec,
          const char* key, const PlaceMap& places, Diagnostics& found) {
  BuildContext c;
  c.registry = &registry;
  c.path = key;
  c.places = &places;
  c.place = spec.place;
  found.attempt([&] { component = registry.make<Interface>(spec, c); });
}

}  // namespace

Simulation::Simulation(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) {
  Diagnostics found;
  build(scene, registry, places, found);
  found.throw_if_any();
}

Simulation::Simulation(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
                       Diagnostics& found) {
  build(scene, registry, places, found);
}

void Simulation::build(const SceneOptions& scene, const Registry& registry, const PlaceMap& places,
                       Diagnostics& found) {
  system_ = std::make_unique<System>(scene, registry, places, found);
  make(linear_, registry, scene.linear_solver, "linear_solver", places, found);
  make(integrator_, registry, scene.integrator, "integrator", places, found);
  make(forward_, registry, scene.forward, "forward", places, found);
  make(backward_, registry, scene.backward, "backward", places, found);
  if (!system_->contacts().empty())
    make(contact_, registry, scene.contact_solver, "contact_solver", places, found);
  check_contact(scene, places, found);
  workspace_ = std::make_unique<Workspace>();
  steps_ = scene.time.steps;
  time_step_ = scene.time.step;
  on_failure_ = scene.on_failure;
  adjoint_ = scene.adjoint;
  memory_ = scene.memory;
  if (scene.has_preload && found.ok()) found.attempt([&] { preload(scene, registry, places); });
}

/// Pairings that do not work, by name, before the first step.
void Simulation::check_contact(const SceneOptions& scene, const PlaceMap& places, Diagnostics& found) const {
  BuildContext c;
  c.places = &places;
  const bool needs_motion = contact_ || system_->has_explicit_contact();
  if (integrator_ && !integrator_->takes_contact() && needs_motion)
    found.attempt([&] {
      c.path = "integrator";
      c.place = scene.integrator.place;
      throw c.input_error("", "integrator " + scene.integrator.type +
                                  " knows no contact but by a potential (penalty with scheme: implicit)");
    });
  if (contact_ && system_->is_complete())
    found.attempt([&] {
      c.path = "contact_solver";
      c.place = scene.contact_solver.place;
      contact_->check(*system_, c);
    });
}

StepTools Simulation::tools() const {
  return {*system_, *forward_, *backward_, *linear_, contact_.get(), adjoint_, *workspace_};
}

void Simulation::preload(const SceneOptions& scene, const Registry& registry, const PlaceMap& places) {
  system_->add_extra_forces(scene.preload.forces, registry, places, 1);
  Tape tape;
  tape.states.push_back(system_->initial_state());
  RolloutReport report;
  const double h = scene.preload.time_step > 0 ? scene.preload.time_step : time_step_;
  try {
    for (Index k = 0; k < scene.preload.steps; ++k) {
      if (interrupted()) throw Interrupted();
      advance(tape, {0, h, 0}, {}, 0, report);  // time stands still: pins do not move yet
      keep_last_two(tape);
    }
  } catch (const Error& e) {
    throw Error(e.code(), "preload: " + e.message(), e.where());
  }
  system_->clear_extra_forces();
  // The scene's own displacements are part of what was reached, and are added again by initial_state().
  VecX x = tape.states.back().x;
  for (const auto& body : system_->bodies())
    x.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) -=
        body->options.initial.displacements.values;
  system_->set_initial_base(x, VecX::Zero(x.size()));
  if (scene.preload.keep_velocity)
    system_->set_initial_base(x, tape.states.back().v - system_->initial_state().v);
}

void Simulation::fail(const Tape& tape, const StepContext& context, const SolveReport& report) const {
  const char* halve = on_failure_ == "halve_step" ? "" : ", or on_failure: halve_step";
  if (report.residual <= report.tolerance)  // forces are balanced: what else is wrong, the note says
    throw Error(Errc::Numerics, fmt::format("step {} (t = {:.6g} s) failed: {}. Try a smaller time.step{}",
                                            context.step + 1, context.time, report.note, halve));
  std::string culprit = system_->diagnose(context, tape.states.back().x);
  if (report.worst_node >= 0)
    culprit +=
        fmt::format("{}the largest residual, {:.3g} N, is at {}", culprit.empty() ? "" : "; ",
                    report.worst_force, system_->describe_node(report.worst_node, tape.states.back().x));
  throw Error(
      Errc::Numerics,
      fmt::format("step {} (t = {:.6g} s) did not converge after {} iterations: residual {:.3g} N, tolerance "
                  "{:.3g} N{}{}{}. Try a smaller time.step{}, or more forward.max_iterations",
                  context.step + 1, context.time, report.iterations, report.residual, report.tolerance,
                  report.note.empty() ? "" : " (" + report.note + ")", culprit.empty() ? "" : "; ", culprit,
                  on_failure_ == "halve_step" ? "" : ", on_failure: halve_step"));
}

void Simulation::advance(Tape& tape, StepContext context, const StepControls& controls, int depth,
                         RolloutReport& report) const {
  context.controls = controls.values.size() > 0 ? &controls.values : nullptr;
  integrator_->step(tools(), context, tape);
  tape.records.back().context.controls = nullptr;  // of the caller: the record keeps its own
  tape.records.back().controls = controls;
  const SolveReport r = tape.records.back().report;
  report.iterations += r.iterations;
  report.linear_iterations += r.linear_iterations;
  report.evaluations += r.evaluations;
  report.adhering += r.adhering;
  report.saddles += r.saddles;
  report.largest_pull = std::max(report.largest_pull, r.largest_pull);
  const State& after = tape.states.back();
  const bool finite = after.x.allFinite() && after.v.allFinite();
  if (r.converged && finite) {
    if (r.tolerance > 0)
      report.worst_residual_ratio = std::max(report.worst_residual_ratio, r.residual / r.tolerance);
    return;
  }
  if (on_failure_ == "halve_step" && depth < kMaxHalvings) {
    tape.states.pop_back();
    tape.records.pop_back();
    ++report.halvings;
    log_debug(fmt::format("step {}: halved to {:.3g} s", context.step + 1, 0.5 * context.time_step));
    const double half = 0.5 * context.time_step;
    const double middle =
        context.time > 0 ? context.time - half : context.time;  // a preload's time stands still
    advance(tape, {middle, half, context.step}, controls, depth + 1, report);
    advance(tape, {context.time, half, context.step}, controls, depth + 1, report);
    return;
  }
  if (on_failure_ != "warn" || !finite) {
    SolveReport why = r;
    if (!finite && why.note.empty()) why.note = "not a number";
    // What failed is taken off again, so that the tape holds whole steps only; diagnose looks at it first.
    const Tape failed{{tape.states.back()}, {}, {}};
    tape.states.pop_back();
    tape.records.pop_back();
    fail(failed, context, why);
  }
  ++report.not_converged;
  if (r.tolerance > 0)
    report.worst_residual_ratio = std::max(report.worst_residual_ratio, r.residual / r.tolerance);
  log_warn(fmt::format("step {}: not converged, residual {:.3g} N, tolerance {:.3g} N", context.step + 1,
                       r.residual, r.tolerance));
}

bool Simulation::roll(Tape& tape, Index first, Index last, bool keep_all, const StepObserver& observer,
                      RolloutReport& report) const {
  for (Index k = first; k < last; ++k) {
    const StepControls controls{system_->controls(tape.states.back()),
                                static_cast<Index>(tape.states.size()) - 1};
    advance(tape, {time_step_ * static_cast<double>(k + 1), time_step_, k}, controls, 0, report);
    tape.frames.push_back(static_cast<Index>(tape.states.size()) - 1);
    ++report.steps;
    const SolveReport solve = tape.records.back().report;
    if (!keep_all) {
      keep_last_two(tape);
      tape.frames.assign(1, static_cast<Index>(tape.states.size()) - 1);
    }
    if (observer && !observer(k + 1, tape.states.back(), solve)) {
      report.interrupted = k + 1 < steps_;
      return false;
    }
  }
  return true;
}

RolloutReport Simulation::run(Tape& tape, bool keep_all, const StepObserver& observer) const {
  RolloutReport report;
  tape = {};
  system_->require_start();
  tape.states.push_back(system_->initial_state());
  tape.frames.push_back(0);
  if (observer && !observer(0, tape.states.back(), SolveReport{true, 0, 0, 0, 0.0, 0.0, {}}))
    report.interrupted = true;
  else
    roll(tape, 0, steps_, keep_all, observer, report);
  return report;
}

/// What goes from one piece of a trajectory to the piece before it.
struct Simulation::Backward {
  const StateSeed& seed;
  SystemCotangent cotangent;
  BackwardReport sums;
  std::vector<Adjoint> adjoints;  ///< of the states of the present piece
  bool begins = true;
  double later_size = 0;  ///< |dL/dx + dL/dv / h| after the step that was pulled back last
  Index later_step = 0;   ///< its number, from 1
};

/// Pulls adjoints back over the records from `first_record` on; frames[j] of the tape is frame first + j of
/// the scene. Frame `first` is left to the piece before, unless there is none.
void Simulation::pull_back(const Tape& tape, Index first, std::size_t first_record, Backward& pass) const {
  const Index n = system_->num_dofs();
  auto frame = static_cast<Index>(tape.frames.size()) - 1;
  const auto seed_frames = [&](Index state) {
    for (; frame >= (first == 0 ? 0 : 1) && tape.frames[static_cast<std::size_t>(frame)] == state; --frame) {
      Adjoint& a = pass.adjoints[static_cast<std::size_t>(state)];
      a.ensure(n);
      pass.seed(first + frame, tape.states[static_cast<std::size_t>(state)], a);
    }
  };
  for (std::size_t i = tape.records.size(); i-- > first_record;) {
    const StepRecord& record = tape.records[i];
    Adjoint& after = pass.adjoints[static_cast<std::size_t>(record.after)];
    after.ensure(n);
    watch_growth(after, pass);
    seed_frames(record.after);
    pass.later_size = (after.x + after.v / time_step_).norm();
    pass.later_step = record.context.step + 1;
    const StepTools tools{*system_,       *forward_, *backward_,  *linear_,
                          contact_.get(), adjoint_,  *workspace_, std::exchange(pass.begins, false)};
    const SolveReport r = integrator_->backward(tools, tape, record, pass.adjoints, pass.cotangent);
    if (record.controls.values.size() > 0) {
      Adjoint& seen = pass.adjoints[static_cast<std::size_t>(record.controls.state)];
      seen.ensure(n);
      system_->pull_back_controls(tape.states[static_cast<std::size_t>(record.controls.state)],
                                  pass.cotangent, seen.x, seen.v);
    }
    count(r, record, pass);
    after = {};  // its memory is not needed any more
  }
  if (first == 0) seed_frames(0);
}

/// `before`: what the step pulled back last made of the adjoint before it, without this frame's own seed.
void Simulation::watch_growth(const Adjoint& before, Backward& pass) const {
  if (!(pass.later_size > 0)) return;
  const double growth = (before.x + before.v / time_step_).norm() / pass.later_size;
  if (growth > adjoint_.growth_warning) ++pass.sums.growing_steps;
  if (!(growth > pass.sums.worst_growth)) return;
  pass.sums.worst_growth = growth;
  pass.sums.worst_growth_step = pass.later_step;
}

void Simulation::count(const SolveReport& r, const StepRecord& record, Backward& pass) const {
  BackwardReport& sums = pass.sums;
  sums.iterations += r.linear_iterations;
  if (std::isfinite(record.report.residual)) sums.solver_error += r.adjoint * record.report.residual;
  if (r.tolerance > 0)
    sums.worst_residual_ratio = std::max(sums.worst_residual_ratio, r.residual / r.tolerance);
  if (r.converged) return;
  ++sums.not_converged;
  const std::string text = fmt::format(
      "adjoint of step {} not solved to tolerance: residual {:.3g}, tolerance {:.3g}{}",
      record.context.step + 1, r.residual, r.tolerance, r.note.empty() ? "" : " (" + r.note + ")");
  if (on_failure_ != "warn")
    throw Error(Errc::Numerics, text + ". Try another backward solver, or on_failure: warn to go on with it");
  log_warn(text + ": this gradient is not exact");
}

VecX Simulation::gradient(const Tape& tape, const FrameSeed& seed, BackwardReport* report) const {
  const StateSeed of_state = [&](Index frame, const State&, Adjoint& a) { seed(frame, a); };
  Backward pass{of_state, system_->zero_cotangent(), {}, {}, true};
  pass.adjoints.resize(tape.states.size());
  pull_back(tape, 0, 0, pass);
  return finish(pass, report);
}

VecX Simulation::finish(Backward& pass, BackwardReport* report) const {
  Adjoint& initial = pass.adjoints.front();
  initial.ensure(system_->num_dofs());
  system_->finish_cotangent(pass.cotangent, initial.x, initial.v);
  pass.sums.choice = backward_->choice(*workspace_);
  if (pass.sums.growing_steps > 0)
    log_warn(fmt::format(
        "the adjoint grows {:.3g} times in step {}; in {} steps more than {:.3g} times ({})",
        pass.sums.worst_growth, pass.sums.worst_growth_step, pass.sums.growing_steps, adjoint_.growth_warning,
        adjoint_.regularization == "none" ? "see adjoint.regularization" : "regularised as it is"));
  if (report != nullptr) *report = pass.sums;
  return pass.cotangent.theta;
}

VecX Simulation::run_with_gradient(const StepObserver& observer, const StateSeed& seed, RolloutReport& report,
                                   BackwardReport* backward) const {
  const CheckpointPlan plan = plan_checkpoints(steps_, system_->num_dofs(), 1e6 * memory_.budget,
                                               memory_.checkpoints, !memory_.spill.empty());
  Backward pass{seed, system_->zero_cotangent(), {}, {}, true};
  if (plan.keeps_all(steps_)) {
    Tape tape;
    report = run(tape, true, observer);
    if (report.interrupted) return {};
    pass.adjoints.resize(tape.states.size());
    pull_back(tape, 0, 0, pass);
    return finish(pass, backward);
  }
  CheckpointStore store(memory_.spill);
  if (!first_pass(plan, store, observer, report)) return {};
  for (Index end = steps_; !store.empty();) {
    const Index begin = store.top_step();
    Tape tape = store.top();
    const Index free = plan.slots + 1 - store.size();
    RolloutReport again;  // counted the first time
    if (end - begin > plan.leaf) {
      const Index next = free > 0 ? plan.split(begin, end, free) : end - plan.leaf;
      roll(tape, begin, next, false, {}, again);
      if (free > 0) {
        store.push(next, std::move(tape));
        continue;
      }
      pull_piece(tape, next, end, pass);
      end = next;
      continue;
    }
    store.pop();
    pull_piece(tape, begin, end, pass);
    end = begin;
  }
  return finish(pass, backward);
}

/// The forward pass, which leaves the plan's first checkpoints. False if the observer ended it.
bool Simulation::first_pass(const CheckpointPlan& plan, CheckpointStore& store, const StepObserver& observer,
                            RolloutReport& report) const {
  report = {};
  Tape tape;
  system_->require_start();
  tape.states.push_back(system_->initial_state());
  tape.frames.push_back(0);
  store.push(0, tape);
  if (observer && !observer(0, tape.states.back(), SolveReport{true, 0, 0, 0, 0.0, 0.0, {}})) {
    report.interrupted = true;
    return false;
  }
  Index at = 0;
  for (const Index point : plan.first_points(steps_)) {
    if (!roll(tape, at, point, false, observer, report)) return false;
    store.push(point, tape);
    at = point;
  }
  // The observer may end it at the very last step, which ends nothing.
  return roll(tape, at, steps_, false, observer, report) || !report.interrupted;
}

/// Computes the steps from `begin`, where the tape ends, to `end` again and pulls the adjoints back over
/// them.
void Simulation::pull_piece(Tape& tape, Index begin, Index end, Backward& pass) const {
  const std::size_t states = tape.states.size(), records = tape.records.size();
  RolloutReport again;
  roll(tape, begin, end, true, {}, again);
  // The last states of this piece are the first ones of the piece that was pulled back before.
  std::vector<Adjoint> later = std::move(pass.adjoints);
  pass.adjoints.assign(tape.states.size(), {});
  for (std::size_t i = 0; i < std::min(later.size(), tape.states.size()); ++i)
    pass.adjoints[tape.states.size() - 1 - i] = std::move(later[later.size() - 1 - i]);
  pull_back(tape, begin, records, pass);
  pass.adjoints.resize(states);
}

double Simulation::elastic_energy(const State& s, Index step, const VecX* controls) const {
  StepContext c{s.t, time_step_, std::max<Index>(0, step - 1)};
  c.controls = controls;
  double e = 0;
  for (const auto& energy : system_->energies()) e += energy->value(c, s.x, *workspace_);
  return e;
}

}  // namespace resilin

#include "core/app/recorded_run.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/output/progress.hpp"
#include "core/output/vtu_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

namespace resilin::app {
namespace {

namespace fs = std::filesystem;

bool is_frame_of(const std::string& file, const std::string& body) {
  const std::string ending = ".vtu";
  if (file.size() <= body.size() + 1 + ending.size() || file.rfind(body + "_", 0) != 0) return false;
  if (file.substr(file.size() - ending.size()) != ending) return false;
  const std::string number = file.substr(body.size() + 1, file.size() - body.size() - 1 - ending.size());
  return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Frames of a longer earlier run would stand beside those of this one.
void remove_old_frames(const std::string& folder, const System& system) {
  std::error_code failure;
  std::vector<fs::path> old;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure))
    for (const auto& body : system.bodies())
      if (is_frame_of(it->path().filename().string(), body->name)) old.push_back(it->path());
  if (failure) throw Error(Errc::Io, "cannot read the folder: " + failure.message(), folder);
  for (const fs::path& file : old) {
    fs::remove(file, failure);
    if (failure) throw Error(Errc::Io, "cannot remove an old frame: " + failure.message(), file.string());
  }
}

class Recorder {
 public:
  Recorder(const Job& job, const Simulation& simulation, const std::string& text, RecordedRun& run);
  /// Called for every frame; `due`: it is to be written.
  void see(Index step, const State& state, const SolveReport& report, bool due);
  void close() {
    if (trajectory_) trajectory_->close();
  }

 private:
  void record(Index step, const State& state, const SolveReport& report, const VecX& next);

  const Simulation& simulation_;
  RecordedRun& run_;
  VecX controls_;  ///< of the step that led to the frame
  std::unique_ptr<TrajectoryWriter> trajectory_;
  std::unique_ptr<VtuSeries> series_;
};

Recorder::Recorder(const Job& job, const Simulation& simulation, const std::string& text, RecordedRun& run)
    : simulation_(simulation), run_(run) {
  const SceneOptions& scene = job.file().options.scene;
  const System& system = simulation.system();
  if (scene.record.hdf5) {
    TrajectoryHeader header{text, job.context().command_line, RESILIN_VERSION, {}, 0, {}};
    const Index steps = simulation.num_steps(), every = scene.record.every;
    header.num_frames = 1 + steps / every + (steps % every != 0 ? 1 : 0);
    for (const auto& body : system.bodies())
      header.bodies.push_back({body->name, body->first_node, &body->rest()});
    for (const auto& loop : system.control_loops())
      for (const ControlDrive& d : loop->drives) header.controls.push_back(d.path);
    run.files.push_back(job.path("trajectory.h5"));
    trajectory_ = std::make_unique<TrajectoryWriter>(run.files.back(), header);
  }
  if (scene.record.vtu) {
    series_ = std::make_unique<VtuSeries>(job.folder(), scene.name);
    remove_old_frames(job.path(scene.name), system);
    run.files.push_back(job.path(scene.name + ".pvd"));
  }
}

void Recorder::see(Index step, const State& state, const SolveReport& report, bool due) {
  const System& system = simulation_.system();
  const VecX next = step < simulation_.num_steps()
                        ? system.controls(state)
                        : VecX::Constant(system.num_controls(), std::numeric_limits<double>::quiet_NaN());
  if (step == 0) controls_ = next;
  if (due) record(step, state, report, next);
  controls_ = next;
}

void Recorder::record(Index step, const State& state, const SolveReport& report, const VecX& next) {
  const System& system = simulation_.system();
  const VecX* controls = controls_.size() > 0 ? &controls_ : nullptr;
  run_.last = {system.kinetic_energy(state), simulation_.elastic_energy(state, step, controls),
               system.gravitational_energy(state)};
  if (run_.frames++ == 0) run_.first = run_.last;
  if (trajectory_) trajectory_->append(step, state, run_.last, report, next);
  if (!series_) return;
  const auto x = as_columns(state.x), v = as_columns(state.v);
  for (const auto& body : system.bodies()) {
    const Index n = body->mesh.num_vertices();
    series_->append(state.t, step, body->name, body->rest(), x.middleCols(body->first_node, n),
                    v.middleCols(body->first_node, n));
  }
}

}  // namespace

RecordedRun record_run(const Job& job, const Simulation& simulation, const std::string& scene) {
  RecordedRun run;
  Recorder recorder(job, simulation, scene, run);
  const Index steps = simulation.num_steps(), every = job.file().options.scene.record.every;
  Index done = 0, iterations = 0, linear_iterations = 0, evaluations = 0;
  try {
    Progress progress("step", steps, !job.context().quiet);
    Tape tape;
    run.report = simulation.run(tape, false, [&](Index step, const State& state, const SolveReport& report) {
      recorder.see(step, state, report, step % every == 0 || step == steps);
      if (step > 0) progress.update(step);
      done = step;
      iterations += report.iterations;
      linear_iterations += report.linear_iterations;
      evaluations += report.evaluations;
      return !interrupted();
    });
    if (run.report.interrupted) run.end = RecordedRun::End::Interrupted;
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    run.end = RecordedRun::End::Failed;
    run.message = e.what();
    run.report.steps = done;
    run.report.iterations = iterations;
    run.report.linear_iterations = linear_iterations;
    run.report.evaluations = evaluations;
  }
  recorder.close();
  return run;
}

const char* name_of(RecordedRun::End end) {
  if (end == RecordedRun::End::Finished) return "finished";
  return end == RecordedRun::End::Failed ? "failed" : "interrupted";
}

void write_run(JsonWriter& out, const RecordedRun& run) {
  const RolloutReport& r = run.report;
  out.field("steps", r.steps).field("frames", run.frames).field("iterations", r.iterations);
  out.field("linear_iterations", r.linear_iterations).field("evaluations", r.evaluations);
  out.field("not_converged", r.not_converged).field("halvings", r.halvings);
  out.field("adhering", r.adhering).field("largest_pull", r.largest_pull);
  out.field("saddles", r.saddles);
  out.key("worst_residual_ratio");
  // A run that failed has no report of this.
  if (run.end == RecordedRun::End::Failed)
    out.null();
  else
    out.value(r.worst_residual_ratio);
  out.key("energies").begin_object();
  for (const auto& [name, e] :
       {std::pair<const char*, const FrameEnergies&>{"first", run.first}, {"last", run.last}})
    out.key(name)
        .begin_object()
        .field("kinetic", e.kinetic)
        .field("elastic", e.elastic)
        .field("gravitational", e.gravitational)
        .end_object();
  out.end_object();
}

}  // namespace resilin::app

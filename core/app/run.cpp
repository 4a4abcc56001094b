// resilin run: simulates a scene.
#include "core/app/recorded_run.hpp"
#include "core/app/table.hpp"

#include <fmt/format.h>

namespace resilin::app {
namespace {

void print_result(const Job& job, const RecordedRun& run) {
  const RolloutReport& r = run.report;
  std::string text =
      fmt::format("{} steps in {:.3g} s, {} iterations; worst residual {:.2g} of the tolerance\n", r.steps,
                  job.seconds(), r.iterations, r.worst_residual_ratio);
  if (r.not_converged > 0)
    text += fmt::format("NOT CONVERGED: {} solves (on_failure: warn)\n", r.not_converged);
  if (r.saddles > 0) text += fmt::format("{} saddles of the energy were left\n", r.saddles);
  if (r.adhering > 0)
    text +=
        fmt::format("colliders pulled nodes that would else have penetrated: {} times, by at most {:.3g} N\n",
                    r.adhering, r.largest_pull);
  if (r.halvings > 0) text += fmt::format("{} steps were split in halves\n", r.halvings);
  Table table({"energy [J]", ">first", ">last"});
  table.add({"kinetic", short_number(run.first.kinetic), short_number(run.last.kinetic)});
  table.add({"elastic", short_number(run.first.elastic), short_number(run.last.elastic)});
  table.add({"gravitational", short_number(run.first.gravitational), short_number(run.last.gravitational)});
  text += "\n" + table.text() + "\n";
  for (const std::string& file : run.files) text += file + "\n";
  print(text + job.path("summary.json") + "\n");
}

int execute(const Context& context) {
  const Job job(context);
  const Simulation simulation(job.file().options.scene, job.registry(), job.file().places);
  job.begin_output();
  const RecordedRun run = record_run(job, simulation, job.file().resolved);

  JsonWriter out;
  job.write_head(out, name_of(run.end), run.message);
  write_run(out, run);
  std::vector<std::string> files = run.files;
  files.push_back(job.path("scene.yaml"));
  write_texts(out, "files", files);
  job.write_summary(out.end_object());

  if (run.end == RecordedRun::End::Finished) {
    if (!context.json) print_result(job, run);
    return kGood;
  }
  const std::string on_disk = fmt::format("{} frames are in {}", run.frames, job.folder());
  if (run.end == RecordedRun::End::Failed) {
    print_error(run.message + "\n" + on_disk);
    return kCheckFailed;
  }
  print_error(fmt::format("interrupted after step {} of {}; {}. A run starts over: {}", run.report.steps,
                          simulation.num_steps(), on_disk, context.command_line));
  return kInterruptedCode;
}

}  // namespace

Command run_command() {
  return {
      "run",
      "SCENE",
      "simulate; write the trajectory and a summary",
      "Simulates the scene of a YAML file. Writes to the output folder: scene.yaml (the scene with all "
      "defaults),\n"
      "trajectory.h5 (positions, velocities, energies of each recorded step), NAME.pvd with .vtu files for\n"
      "ParaView, and summary.json. A step that does not converge ends the run with exit code 1; the frames "
      "before\n"
      "it are on disk. With on_failure: warn the run goes on; the log, the output and summary.json "
      "(not_converged)\n"
      "count such steps, and the exit code is 0.",
      {"resilin run configs/quickstart.yaml",
       "resilin run configs/quickstart.yaml -o /tmp/beam --set time.steps=50"},
      {output_option("results/SCENE"), set_option()},
      1,
      1,
      execute};
}

}  // namespace resilin::app

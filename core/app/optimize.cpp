// resilin optimize: finds the parameters of a task.
#include "core/app/fitted_scene.hpp"
#include "core/app/optimization.hpp"
#include "core/app/task_summary.hpp"
#include "core/base/file.hpp"
#include "core/output/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace resilin::app {
namespace {

/// Without what was found for losses, which are no part of a scene.
void write_fitted(const Job& job, const Task& task, ConstVec u) {
  std::map<std::string, VecX> values;
  for (const TaskVariable& v : task.variables())
    for (const ParameterEntry& e : v.entries)
      if (e.path.rfind("losses[", 0) != 0) values[e.path] = task.values(u, v);
  SceneOptions scene = job.file().options.scene;
  set_parameters(scene, values);
  replace_preload(scene, task.simulation().system(), job.folder());
  write_file(job.path("fitted.yaml"), dump_yaml([&](ParamVisitor& v) { scene.visit(v); }));
}

/// The parameters of each controller's law as tables of their own, one number a row: swim_weights.csv.
void write_controllers(const Job& job, const System& system) {
  for (const auto& loop : system.control_loops()) {
    const std::string law = loop->path + ".law.", name = loop->path.substr(loop->path.find('.') + 1);
    for (const ParameterEntry& e : system.parameters().entries()) {
      if (e.path.rfind(law, 0) != 0) continue;
      std::string text;
      for (Index i = 0; i < e.size; ++i) text += fmt::format("{:.17g}\n", e.values[i]);
      write_file(job.path(name + "_" + e.path.substr(law.size()) + ".csv"), text);
    }
  }
}

/// `o`: the optimisation that counts.
void write_summary(const Job& job, const std::vector<Optimization>& all, const Optimization& o,
                   const std::string& status, const std::string& message, const RecordedRun* run) {
  JsonWriter out;
  job.write_head(out, status, message);
  write_result(out, o);
  if (all.size() > 1) {
    out.field("best_seed", o.start.seed).field("best_start", o.start.number);
    write_starts(out, all);
  }
  if (run != nullptr) {
    out.key("fitted_run").begin_object().field("status", name_of(run->end));
    write_run(out, *run);
    std::vector<std::string> files = {job.path("fitted.yaml"), job.path("loss" + o.start.suffix + ".csv")};
    files.insert(files.end(), run->files.begin(), run->files.end());
    write_texts(out.end_object(), "files", files);
  }
  job.write_summary(out.end_object());
}

int interrupted_in(const Job& job, const std::vector<Optimization>& all, const Optimization& o) {
  const std::string& line = job.context().command_line;
  const std::string again = job.context().arguments.has("--resume") ? line : line + " --resume";
  const std::string message =
      fmt::format("interrupted{} after {} evaluations, which are in {}{}. To go on: {}",
                  o.start.name.empty() ? "" : " in " + o.start.name, o.evaluations, o.journal,
                  o.evaluations == 0 ? "" : ", the best parameters in " + o.checkpoint, again);
  write_summary(job, all, o, "interrupted", message, nullptr);
  print_error(message);
  return kInterruptedCode;
}

int failed(const Job& job, const std::vector<Optimization>& all, const Optimization& o,
           const std::string& what) {
  std::string message = what;
  if (o.evaluations > 0)
    message +=
        fmt::format("\nthe best parameters before, with loss {:.6g}, are in {}", o.best_loss, o.checkpoint);
  write_summary(job, all, o, "failed", message, nullptr);
  print_error(message);
  return kCheckFailed;
}

void print_result(const Job& job, const std::vector<Optimization>& all, const Optimization& o,
                  const RecordedRun& run) {
  std::string text = plot_curve(o.losses);
  text += fmt::format(
      "\nloss {:.6g} -> {:.6g} in {} evaluations ({} steps forward + backward), {} iterations, {:.3g} s: "
      "{}\n\n",
      o.first_loss, o.verdict.loss, o.evaluations, steps_text(o.steps), o.report.iterations, job.seconds(),
      o.verdict.text);
  if (o.failed_evaluations > 0)
    text += fmt::format("{} evaluations failed, from which the optimizer stepped back (see the log)\n\n",
                        o.failed_evaluations);
  if (!o.task->backward_choices.empty()) text += "backward: " + backward_choices_text(*o.task) + "\n\n";
  if (all.size() > 1) text += starts_text(all, &o) + "\n";
  text += found_text(o);
  if (!o.verdict.without_influence.empty())
    text += fmt::format("the loss does not depend on {}\n", fmt::join(o.verdict.without_influence, ", "));
  text += "\n";
  for (const std::string& name :
       {std::string("fitted.yaml"), "loss" + o.start.suffix + ".csv", std::string("summary.json")})
    text += job.path(name) + "\n";
  for (const std::string& file : run.files) text += file + "\n";
  print(text);
}

/// After the optimizer has ended: the files, the table, the verdict.
int conclude(const Job& job, const std::vector<Optimization>& all, const Optimization& o) {
  write_fitted(job, *o.task, o.verdict.found);
  o.task->apply(o.verdict.found);
  write_controllers(job, o.task->simulation().system());
  const RecordedRun run = record_run(job, o.task->simulation(), read_file(job.path("fitted.yaml")));
  if (run.end == RecordedRun::End::Interrupted) return interrupted_in(job, all, o);
  if (run.end == RecordedRun::End::Failed)
    return failed(job, all, o, "simulating the result: " + run.message);
  write_summary(job, all, o, name_of(o.verdict.outcome), {}, &run);
  if (!job.context().json) print_result(job, all, o, run);
  if (o.verdict.good()) return kGood;
  print_error(o.verdict.text);
  return kCheckFailed;
}

/// Several starts make sense only where something is drawn.
void check_options(const Job& job, const TaskOptions& options) {
  if (options.parameters.empty())
    throw Error(Errc::Input,
                "a task needs parameters to find, such as parameters: [{path: "
                "bodies.beam.materials[0].youngs_modulus, "
                "lower: 1e4, upper: 1e6}]",
                job.context().arguments.words()[0]);
  const bool drawn =
      std::any_of(options.parameters.begin(), options.parameters.end(),
                  [](const TaskParameter& p) { return p.start.size() == 0 && p.from == "random"; });
  BuildContext context;
  context.places = &job.file().places;
  std::vector<Index> sorted = options.seeds;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw context.input_error("seeds", "a seed is listed twice");
  for (const auto& [key, several] :
       {std::pair("seeds", options.seeds.size() > 1), {"starts", options.starts > 1}})
    if (several && !drawn)
      throw context.input_error(
          key,
          fmt::format(
              "every parameter has a start, so that all {} begin at the same point: leave out a start", key));
}

std::unique_ptr<Optimizer> make_optimizer(const Job& job, const TaskOptions& options) {
  BuildContext build;
  build.registry = &job.registry();
  build.places = &job.file().places;
  build.path = "optimizer";
  build.place = options.optimizer.place;
  return job.registry().make<Optimizer>(options.optimizer, build);
}

std::unique_ptr<Task> make_task(const Job& job, const Start& start) {
  TaskOptions options = job.file().options;
  options.seed = start.seed;
  return std::make_unique<Task>(options, job.registry(), job.file().places, start.number);
}

/// Results of an earlier job that this one writes anew.
std::vector<std::string> old_results(const std::vector<Start>& starts) {
  std::vector<std::string> old = {"fitted.yaml"};
  for (const Start& start : starts) {
    old.push_back("checkpoint" + start.suffix + ".json");
    old.push_back("loss" + start.suffix + ".csv");
  }
  return old;
}

int execute(const Context& context) {
  const Job job(context);
  const TaskOptions& options = job.file().options;
  check_options(job, options);
  const std::vector<Start> starts = all_starts(options);
  // Mistakes in the task come before anything is written.
  std::unique_ptr<Task> task = make_task(job, starts[0]);
  const auto optimizer = make_optimizer(job, options);
  const bool resume = context.arguments.has("--resume");
  job.begin_output(resume ? std::vector<std::string>{} : old_results(starts));
  std::vector<Optimization> all;
  for (const Start& start : starts) {
    if (task == nullptr) task = make_task(job, start);
    all.push_back(optimize_from(job, std::move(task), *optimizer, start, resume));
    if (all.back().end == Optimization::End::Interrupted) return interrupted_in(job, all, all.back());
  }
  const Optimization* best = best_of(all);
  if (best == nullptr) return failed(job, all, all.back(), all.back().message);
  return conclude(job, all, *best);
}

}  // namespace

Command optimize_command() {
  return {
      "optimize",
      "TASK",
      "find the parameters of a task that minimise its loss",
      "Minimises the weighted losses of a task over its parameters. Every evaluation is recorded in\n"
      "evaluations.bin (episodes of ppo in episodes.bin), so that a job that was interrupted or killed goes "
      "on "
      "with --resume, and gives the "
      "same\n"
      "result to the last bit. Writes to the output folder: fitted.yaml (the scene with the values found), "
      "its\n"
      "trajectory (as `resilin run`), loss.csv, checkpoint.json (after every evaluation), summary.json and, "
      "for\n"
      "each controller, its weights as a table that `weights: {file: ...}` reads (NAME_weights.csv). With\n"
      "several `seeds` or `starts` each has its own files (evaluations_seed_N_start_K.bin and so on) and the "
      "best\n"
      "is written. What is found for parameters of losses, which are no part of a scene, is in "
      "summary.json.\n"
      "Where a simulation fails at a point that the optimizer tries, it steps back; the log says "
      "why "
      "and\n"
      "summary.json how often (failed_evaluations). A failure at the start ends the job.\n"
      "`step_budget` limits what the evaluations may cost; loss.csv and summary.json count the simulated "
      "steps "
      "forward\n"
      "and backward.\n"
      "A start that cannot be improved by more than the noise of the loss (rounding, and what the solves "
      "leave) is\n"
      "reported as already stationary, exit code 0. Exit code 1: the optimizer gave up and the loss did not "
      "fall, or\n"
      "the loss does not depend on the parameters.",
      {"resilin optimize configs/quickstart.yaml", "resilin optimize configs/quickstart.yaml --resume"},
      {output_option("results/TASK"),
       set_option(),
       {"--resume", "", "go on with the evaluations that the output folder already holds"}},
      1,
      1,
      execute};
}

}  // namespace resilin::app

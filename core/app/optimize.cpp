// resilin optimize: finds the parameters of a task.
#include "core/app/fitted_scene.hpp"
#include "core/app/journaled_objective.hpp"
#include "core/app/recorded_run.hpp"
#include "core/app/table.hpp"
#include "core/base/file.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace resilin::app {
namespace {

/// A variable at the end: what was found against what the scene file says.
struct Found {
  const TaskVariable* variable;
  VecX values;
  VecX errors;  ///< |found - truth| over the largest |truth|; absolute where the truth is zero
  Index worst = 0;
  bool relative = true;
};

std::vector<Found> compare(const Task& task, ConstVec u) {
  std::vector<Found> all;
  for (const TaskVariable& v : task.variables()) {
    Found f{&v, task.values(u, v), {}, 0, true};
    const double scale = v.truth.cwiseAbs().maxCoeff();
    f.relative = scale > 0;
    f.errors = (f.values - v.truth).cwiseAbs() / (f.relative ? scale : 1.0);
    f.errors.maxCoeff(&f.worst);
    all.push_back(std::move(f));
  }
  return all;
}

std::string table_text(const std::vector<Found>& all) {
  Table table({"parameter", "unit", ">start", ">found", ">truth", ">relative error"});
  for (const Found& f : all) {
    const TaskVariable& v = *f.variable;
    const std::string name =
        v.size == 1 ? v.path : fmt::format("{} (worst: {} of {})", v.path, f.worst, v.size);
    table.add({name, v.unit, short_number(v.start[f.worst]), short_number(f.values[f.worst]),
               short_number(v.truth[f.worst]),
               fmt::format("{:.2e}{}", f.errors[f.worst], f.relative ? "" : " (absolute)")});
  }
  return table.text() + "truth: the value in the scene file\n";
}

void write_fitted(const Job& job, const Task& task, ConstVec u) {
  std::map<std::string, VecX> values;
  for (const TaskVariable& v : task.variables())
    for (const ParameterEntry& e : v.entries) values[e.path] = task.values(u, v);
  SceneOptions scene = job.file().options.scene;
  set_parameters(scene, values);
  replace_preload(scene, task.simulation().system(), job.folder());
  write_file(job.path("fitted.yaml"), dump_yaml([&](ParamVisitor& v) { scene.visit(v); }));
}

void write_losses(const Job& job, const JournaledObjective& objective) {
  std::string text = "evaluation,loss,gradient_norm\n";
  for (std::size_t i = 0; i < objective.losses().size(); ++i)
    text += fmt::format("{},{},{}\n", i + 1, objective.losses()[i], objective.gradient_norms()[i]);
  write_file(job.path("loss.csv"), text);
}

void write_summary(const Job& job, const Task& task, const JournaledObjective& objective,
                   const OptimizerReport& report, const std::string& status, const std::string& message,
                   const RecordedRun* run) {
  JsonWriter out;
  job.write_head(out, status, message);
  out.field("converged", report.converged).field("note", report.note).field("iterations", report.iterations);
  out.field("evaluations", static_cast<Index>(objective.losses().size()));
  if (objective.best_evaluation() > 0) {
    out.field("first_loss", objective.losses().front()).field("loss", objective.best_loss());
    out.key("parameters").begin_array();
    for (const Found& f : compare(task, objective.best())) {
      const TaskVariable& v = *f.variable;
      out.begin_object().field("path", v.path).field("unit", v.unit);
      out.field("start", ConstVec(v.start))
          .field("found", ConstVec(f.values))
          .field("truth", ConstVec(v.truth));
      out.field("error", f.errors[f.worst]).field("error_is_relative", f.relative).end_object();
    }
    out.end_array();
  }
  if (run != nullptr) {
    out.key("fitted_run").begin_object().field("status", name_of(run->end));
    write_run(out, *run);
    std::vector<std::string> files = {job.path("fitted.yaml"), job.path("loss.csv")};
    files.insert(files.end(), run->files.begin(), run->files.end());
    write_texts(out.end_object(), "files", files);
  }
  job.write_summary(out.end_object());
}

int interrupted_after(const Job& job, const Task& task, const JournaledObjective& objective) {
  const std::size_t count = objective.losses().size();
  const std::string& line = job.context().command_line;
  const std::string again = job.context().arguments.has("--resume") ? line : line + " --resume";
  const std::string message = fmt::format(
      "interrupted after {} evaluations, which are in {}{}. To go on: {}", count, job.path("evaluations.bin"),
      count == 0 ? "" : ", the best parameters in " + job.path("checkpoint.json"), again);
  write_summary(job, task, objective, {}, "interrupted", message, nullptr);
  print_error(message);
  return kInterruptedCode;
}

int failed(const Job& job, const Task& task, const JournaledObjective& objective, const std::string& what) {
  std::string message = what;
  if (objective.best_evaluation() > 0)
    message += fmt::format("\nthe best parameters before, with loss {:.6g}, are in {}", objective.best_loss(),
                           job.path("checkpoint.json"));
  write_summary(job, task, objective, {}, "failed", message, nullptr);
  print_error(message);
  return kCheckFailed;
}

void print_result(const Job& job, const Task& task, const JournaledObjective& objective,
                  const OptimizerReport& report, const RecordedRun& run) {
  const double first = objective.losses().front();
  std::string text = plot_curve(objective.losses());
  text += fmt::format("\nloss {:.6g} -> {:.6g} in {} evaluations, {} iterations, {:.3g} s: {}{}\n\n", first,
                      report.loss, objective.losses().size(), report.iterations, job.seconds(),
                      report.converged ? "" : "NOT CONVERGED: ", report.note);
  text += table_text(compare(task, objective.best())) + "\n";
  for (const char* name : {"fitted.yaml", "loss.csv", "summary.json"}) text += job.path(name) + "\n";
  for (const std::string& file : run.files) text += file + "\n";
  print(text);
}

/// An optimisation that was not finished may have cost hours: forgetting --resume must not lose it.
void keep_old_journal(const Job& job) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t kHeader = 24;
  const std::string file = job.path("evaluations.bin"), kept = file + ".old";
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(file, failure);
  if (failure || size <= kHeader) return;
  require_unused(file);
  fs::rename(file, kept);
  log_info(fmt::format(
      "the evaluations of an earlier optimisation are kept as {} (to go on with it: --resume)", kept));
}

/// After the optimizer has ended: the files, the table, the verdict.
int conclude(const Job& job, Task& task, const JournaledObjective& objective, const OptimizerReport& report) {
  write_losses(job, objective);
  write_fitted(job, task, objective.best());
  task.apply(objective.best());
  const RecordedRun run = record_run(job, task.simulation(), read_file(job.path("fitted.yaml")));
  if (run.end == RecordedRun::End::Interrupted) return interrupted_after(job, task, objective);
  if (run.end == RecordedRun::End::Failed)
    return failed(job, task, objective, "simulating the result: " + run.message);

  const bool fell = report.loss < objective.losses().front();
  write_summary(job, task, objective, report, report.converged ? "converged" : "not_converged", {}, &run);
  if (!job.context().json) print_result(job, task, objective, report, run);
  if (report.converged || fell) return kGood;
  print_error(fmt::format("the loss did not fall at all: {}", report.note));
  return kCheckFailed;
}

int execute(const Context& context) {
  const Job job(context);
  const TaskOptions& options = job.file().options;
  if (options.parameters.empty())
    throw Error(Errc::Input,
                "a task needs parameters to find, such as parameters: [{path: "
                "bodies.beam.materials[0].youngs_modulus, "
                "lower: 1e4, upper: 1e6}]",
                context.arguments.words()[0]);
  Task task(options, job.registry(), job.file().places);
  BuildContext build;
  build.registry = &job.registry();
  build.places = &job.file().places;
  build.path = "optimizer";
  build.place = options.optimizer.place;
  const auto optimizer = job.registry().make<Optimizer>(options.optimizer, build);

  const bool resume = context.arguments.has("--resume");
  job.begin_output(resume ? std::vector<std::string>{}
                          : std::vector<std::string>{"checkpoint.json", "fitted.yaml", "loss.csv"});
  if (!resume) keep_old_journal(job);
  EvaluationJournal journal(job.path("evaluations.bin"), job.hash(), task.size(),
                            resume ? EvaluationJournal::Open::Resume : EvaluationJournal::Open::Fresh);
  JournaledObjective objective(job, task, journal);
  VecX u = task.start();
  OptimizerReport report;
  try {
    report = optimizer->minimize(objective, task.lower(), task.upper(), u);
    objective.finish_progress();
  } catch (const Interrupted&) {
    objective.finish_progress();
    return interrupted_after(job, task, objective);
  } catch (const Error& e) {
    objective.finish_progress();
    if (e.code() != Errc::Numerics) throw;
    return failed(job, task, objective, e.what());
  }
  if (objective.best_evaluation() == 0)
    throw Error(Errc::Internal, fmt::format("optimizer '{}' made no evaluation", options.optimizer.type));
  return conclude(job, task, objective, report);
}

}  // namespace

Command optimize_command() {
  return {
      "optimize",
      "TASK",
      "find the parameters of a task that minimise its loss",
      "Minimises the weighted losses of a task over its parameters. Every evaluation is recorded in\n"
      "evaluations.bin, so that a job that was interrupted or killed goes on with --resume, and gives the "
      "same\n"
      "result to the last bit. Writes to the output folder: fitted.yaml (the scene with the values found), "
      "its\n"
      "trajectory (as `resilin run`), loss.csv, checkpoint.json (after every evaluation) and summary.json.\n"
      "Exit code 1: the optimizer gave up and the loss did not fall.",
      {"resilin optimize configs/quickstart.yaml", "resilin optimize configs/quickstart.yaml --resume"},
      {output_option("results/TASK"),
       set_option(),
       {"--resume", "", "go on with the evaluations that the output folder already holds"}},
      1,
      1,
      execute};
}

}  // namespace resilin::app

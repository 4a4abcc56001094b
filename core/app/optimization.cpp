#include "core/app/optimization.hpp"

#include "core/app/table.hpp"
#include "core/app/task_summary.hpp"
#include "core/base/file.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace resilin::app {
namespace {

/// An optimisation that was not finished may have cost hours: forgetting --resume must not lose it.
void keep_old_journal(const std::string& file) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t kHeader = 24;
  const std::string kept = file + ".old";
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(file, failure);
  if (failure || size <= kHeader) return;
  require_unused(file);
  fs::rename(file, kept);
  log_info(fmt::format(
      "what an earlier optimisation has simulated is kept as {} (to go on with it: --resume)", kept));
}

void write_losses(const std::string& file, const JournaledObjective& objective) {
  std::string text = "evaluation,loss,gradient_norm,forward_steps,backward_steps\n";
  for (std::size_t i = 0; i < objective.losses().size(); ++i)
    text += fmt::format("{},{},{},{},{}\n", i + 1, objective.losses()[i], objective.gradient_norms()[i],
                        objective.steps()[i].forward, objective.steps()[i].backward);
  write_file(file, text);
}

void remember(Optimization& o, const JournaledObjective& objective) {
  o.losses = objective.losses();
  o.evaluations = static_cast<Index>(o.losses.size());
  o.failed_evaluations = objective.num_failed();
  o.steps = objective.spent();
  if (o.evaluations == 0) return;
  o.first_loss = objective.first().loss;
  o.best_loss = objective.best().loss;
  o.best = objective.best().u;
}

/// "0.3", or the range of several values.
std::string values_text(const VecX& values) {
  return values.size() == 1
             ? short_number(values[0])
             : fmt::format("{} .. {}", short_number(values.minCoeff()), short_number(values.maxCoeff()));
}

std::string end_text(const Optimization& o) {
  if (o.end == Optimization::End::Failed) return "failed: " + o.message.substr(0, o.message.find('\n'));
  return o.verdict.text;
}

const VecX& found_of(const Optimization& o) {
  return o.end == Optimization::End::Finished ? o.verdict.found : o.best;
}

void write_variables(JsonWriter& out, const Optimization& o) {
  out.key("parameters").begin_array();
  for (const Found& f : compare(*o.task, found_of(o))) {
    const TaskVariable& v = *f.variable;
    out.begin_object().field("path", v.path).field("unit", v.unit);
    out.field("start", ConstVec(v.start))
        .field("found", ConstVec(f.values))
        .field("truth", ConstVec(v.truth));
    out.field("error", f.errors[f.worst]).field("error_is_relative", f.relative).end_object();
  }
  out.end_array();
}

/// Ends with what there is where an optimizer has no report of its own about a spent budget.
OptimizerReport minimize(const Job& job, const Optimizer& optimizer, const Task& task,
                         JournaledObjective& objective, VecX& u) {
  try {
    return optimizer.minimize(objective, task.lower(), task.upper(), u);
  } catch (const BudgetSpent& e) {
    if (objective.losses().empty()) {
      BuildContext context;
      context.places = &job.file().places;
      throw context.input_error("step_budget", std::string("too small for one evaluation: ") + e.what());
    }
    OptimizerReport report;
    report.note = e.what();
    return report;
  }
}

}  // namespace

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

std::vector<Start> all_starts(const TaskOptions& options) {
  const std::vector<Index> seeds = options.seeds.empty() ? std::vector<Index>{options.seed} : options.seeds;
  std::vector<Start> all;
  for (const Index seed : seeds)
    for (Index number = 1; number <= options.starts; ++number) {
      Start s{seed, number, {}, {}};
      if (seeds.size() > 1) s.name = fmt::format("seed {}", seed), s.suffix = fmt::format("_seed_{}", seed);
      if (options.starts > 1) {
        s.name += fmt::format("{}start {}", s.name.empty() ? "" : ", ", number);
        s.suffix += fmt::format("_start_{}", number);
      }
      all.push_back(std::move(s));
    }
  return all;
}

Optimization optimize_from(const Job& job, std::unique_ptr<Task> task, const Optimizer& optimizer,
                           const Start& start, bool resume) {
  const std::string& suffix = start.suffix;
  Optimization o;
  o.start = start;
  o.journal = job.path("evaluations" + suffix + ".bin");
  o.task = std::move(task);
  if (!resume)
    for (const std::string& file : {o.journal, job.path("episodes" + suffix + ".bin")})
      keep_old_journal(file);
  const auto mode = resume ? RecordFile::Open::Resume : RecordFile::Open::Fresh;
  EvaluationJournal journal(o.journal, job.hash(), o.task->size(), mode);
  JournaledObjective objective(job, *o.task, journal, mode, suffix, job.file().options.step_budget);
  o.checkpoint = objective.checkpoint();
  VecX u = o.task->start();
  try {
    o.report = minimize(job, optimizer, *o.task, objective, u);
    objective.finish_progress();
    if (objective.best().evaluation == 0) throw Error(Errc::Internal, "the optimizer made no evaluation");
    o.verdict = judge(*o.task, objective, o.report);
    write_losses(job.path("loss" + suffix + ".csv"), objective);
  } catch (const Interrupted&) {
    o.end = Optimization::End::Interrupted;
  } catch (const Error& e) {
    if (e.code() != Errc::Numerics) throw;
    o.end = Optimization::End::Failed;
    o.message = e.what();
  }
  objective.finish_progress();
  o.task->on_step = nullptr;  // it refers to the objective
  remember(o, objective);
  return o;
}

const Optimization* best_of(const std::vector<Optimization>& all) {
  const Optimization* best = nullptr;
  for (const Optimization& o : all)
    if (o.end == Optimization::End::Finished && (best == nullptr || o.verdict.loss < best->verdict.loss))
      best = &o;
  return best;
}

std::string steps_text(const StepCount& steps) {
  return fmt::format("{} + {}", steps.forward, steps.backward);
}

std::string found_text(const Optimization& o) {
  Table table({"parameter", "unit", ">start", ">found", ">truth", ">relative error"});
  for (const Found& f : compare(*o.task, o.verdict.found)) {
    const TaskVariable& v = *f.variable;
    const std::string name =
        v.size == 1 ? v.path : fmt::format("{} (worst: {} of {})", v.path, f.worst, v.size);
    table.add({name, v.unit, short_number(v.start[f.worst]), short_number(f.values[f.worst]),
               short_number(v.truth[f.worst]),
               fmt::format("{:.2e}{}", f.errors[f.worst], f.relative ? "" : " (absolute)")});
  }
  return table.text() + "truth: the value in the scene file\n";
}

std::string starts_text(const std::vector<Optimization>& all, const Optimization* best) {
  Table table(
      {"from", "parameter", ">start", ">found", ">first loss", ">loss", ">evaluations", ">steps", "end"});
  for (const Optimization& o : all) {
    const std::string from = o.start.name + (&o == best ? " *" : "");
    bool first = true;
    for (const TaskVariable& v : o.task->variables()) {
      const std::string found = o.evaluations > 0 ? values_text(o.task->values(found_of(o), v)) : "-";
      if (first)
        table.add({from, v.path, values_text(v.start), found, short_number(o.first_loss),
                   short_number(o.best_loss), std::to_string(o.evaluations), steps_text(o.steps),
                   end_text(o)});
      else
        table.add({"", v.path, values_text(v.start), found, "", "", "", "", ""});
      first = false;
    }
  }
  return table.text() + "steps: simulated forward + backward\n* the best, of which the results are\n";
}

void write_result(JsonWriter& out, const Optimization& o) {
  out.field("converged", o.verdict.outcome == Outcome::Converged)
      .field("outcome", name_of(o.verdict.outcome))
      .field("verdict", o.verdict.text)
      .field("note", o.report.note)
      .field("iterations", o.report.iterations)
      .field("evaluations", o.evaluations)
      .field("failed_evaluations", o.failed_evaluations)
      .field("forward_steps", o.steps.forward)
      .field("backward_steps", o.steps.backward);
  write_backward_choices(out, *o.task);
  out.key("without_influence").begin_array();
  for (const std::string& path : o.verdict.without_influence) out.value(path);
  out.end_array();
  if (o.evaluations == 0) return;
  out.field("first_loss", o.first_loss)
      .field("loss", o.end == Optimization::End::Finished ? o.verdict.loss : o.best_loss);
  write_variables(out, o);
}

void write_starts(JsonWriter& out, const std::vector<Optimization>& all) {
  out.key("starts").begin_array();
  for (const Optimization& o : all) {
    out.begin_object().field("seed", o.start.seed).field("start", o.start.number);
    if (o.end == Optimization::End::Failed) out.field("message", o.message);
    write_result(out, o);
    out.end_object();
  }
  out.end_array();
}

}  // namespace resilin::app

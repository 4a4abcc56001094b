// resilin ablate: the table of a study.
#include "core/app/job.hpp"
#include "core/app/machine.hpp"
#include "core/app/study.hpp"
#include "core/app/study_tables.hpp"
#include "core/app/table.hpp"
#include "core/app/training.hpp"
#include "core/base/file.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/parallel.hpp"
#include "core/output/progress.hpp"
#include "core/params/tree.hpp"
#include "core/plugin/paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace resilin::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

class Study {
 public:
  Study(const Context& context, const std::string& source) : context_(context), source_(source) {
    load_standard_plugins(registry_);
    const TreeNode root = load_tree(source_);
    Diagnostics found;
    PlaceMap places;
    read_options(
        root, [&](ParamVisitor& v) { options_.visit(v); }, registry_, found, places);
    found.throw_if_any();
    cases_ = cases_of(options_);
    check_scenes();
  }

  const Context& context() const { return context_; }
  const StudyOptions& options() const { return options_; }
  const std::vector<StudyCase>& cases() const { return cases_; }
  const std::string& source() const { return source_; }

  /// A case that cannot be simulated says so in its row; the study goes on.
  StudyRow measure(const StudyCase& c) {
    StudyRow row;
    row.of = c;
    set_num_threads(static_cast<int>(c.threads));
    try {
      const auto task = make_task(c, {});
      if (options_.optimize) {
        const SceneFile scene = read(c, {}, registry_);
        row.training = train(*task, *make_optimizer(scene, registry_), scene.options.step_budget);
        return row;
      }
      std::vector<double> forward, backward, wall;
      Evaluation e;
      auto& searches = task->simulation().workspace().slot<LineSearchCount>(&task->simulation().system());
      for (Index k = 0; k < options_.repeats; ++k) {
        task->prepare();
        searches = {};
        e = evaluate_once(*task, options_.gradient);
        forward.push_back(e.forward_seconds);
        backward.push_back(e.backward_seconds);
        wall.push_back(e.wall_seconds);
      }
      row.forward_seconds = median(forward);
      row.backward_seconds = median(backward);
      row.wall_seconds = median(wall);
      row.loss = e.loss;
      row.gradient_size = e.gradient.size() > 0 ? e.gradient.norm() : kNaN;
      const RolloutReport& rollout = task->last_rollout;
      row.steps = rollout.steps;
      row.iterations = rollout.iterations;
      row.linear_iterations = rollout.linear_iterations;
      row.evaluations = rollout.evaluations;
      row.adjoint_iterations = options_.gradient ? task->last_backward.iterations : 0;
      row.missed = rollout.not_converged + (options_.gradient ? task->last_backward.not_converged : 0);
      row.searches = searches;
      if (options_.random_adjoints > 0)
        row.adjoints = try_adjoints(task->simulation(), options_.random_adjoints);
      compare(c, e, row);
    } catch (const Error& error) {
      if (error.code() != Errc::Numerics) throw;
      row.failure = error.message();
      row.loss = row.loss_error = row.gradient_error = row.forward_seconds = row.backward_seconds =
          row.wall_seconds = row.gradient_size = kNaN;
    }
    return row;
  }

 private:
  /// What is wrong with any scene is said before hours of work.
  void check_scenes() {
    std::map<std::string, bool> seen;
    for (StudyCase c : cases_) {
      c.threads = 1;
      if (seen[c.name()]) continue;
      seen[c.name()] = true;
      Registry registry;
      load_standard_plugins(registry);
      const SceneFile scene = read(c, {}, registry);
      if (scene.options.losses.empty())
        throw Error(Errc::Input, "a study needs tasks with a loss; there is none in " + file_of(c), source_);
      Task task(scene.options, registry, scene.places);
      if (!options_.optimize) continue;
      if (task.size() == 0)
        throw Error(Errc::Input, "a study that optimises needs parameters; there are none in " + file_of(c),
                    source_);
      (void)make_optimizer(scene, registry);
    }
  }
  static std::unique_ptr<Optimizer> make_optimizer(const SceneFile& scene, const Registry& registry) {
    BuildContext context;
    context.registry = &registry;
    context.places = &scene.places;
    context.path = "optimizer";
    context.place = scene.options.optimizer.place;
    return registry.make<Optimizer>(scene.options.optimizer, context);
  }
  /// The scene of a case; a mistake says which one it is.
  SceneFile read(const StudyCase& c, const std::vector<std::string>& more, Registry& registry) const {
    std::vector<std::string> overrides = overrides_of(options_, c);
    overrides.insert(overrides.end(), more.begin(), more.end());
    try {
      return read_scene(file_of(c), overrides, registry);
    } catch (const Error& e) {
      throw Error(e.code(),
                  fmt::format("{}: scene {}, variant {}: {}", source_, c.scene, c.variant, e.what()));
    }
  }
  std::string file_of(const StudyCase& c) const {
    for (const auto& [name, scene] : options_.scenes)
      if (name == c.scene) return scene.file;
    throw Error(Errc::Internal, "no scene " + c.scene);
  }
  std::unique_ptr<Task> make_task(const StudyCase& c, const NamedList<std::string>& more) {
    std::vector<std::string> overrides;
    for (const auto& [path, value] : more) overrides.push_back(path + "=" + value);
    const SceneFile scene = read(c, overrides, registry_);
    auto task = std::make_unique<Task>(scene.options, registry_, scene.places);
    if (task->size() > 0) task->apply(task->start());
    return task;
  }
  void compare(const StudyCase& c, const Evaluation& e, StudyRow& row) {
    row.loss_error = row.gradient_error = kNaN;
    if (options_.reference.empty()) return;
    const Evaluation& exact = reference(c.scene);
    if (exact.gradient.size() == 0 && exact.loss != exact.loss) return;  // it has failed, and said so
    row.loss_error = std::abs(e.loss - exact.loss) / std::abs(exact.loss);
    if (options_.gradient && e.gradient.size() == exact.gradient.size())
      row.gradient_error = (e.gradient - exact.gradient).norm() / exact.gradient.norm();
  }
  const Evaluation& reference(const std::string& scene) {
    const auto it = references_.find(scene);
    if (it != references_.end()) return it->second;
    set_num_threads(1);
    try {
      const auto task = make_task({scene, options_.reference, "", 1}, options_.reference_set);
      return references_[scene] = evaluate_once(*task, options_.gradient);
    } catch (const Error& error) {
      if (error.code() != Errc::Numerics) throw;
      log_warn("the reference of " + scene + " fails, so its rows have no errors: " + error.message());
      Evaluation none;
      none.loss = kNaN;
      return references_[scene] = none;
    }
  }

  const Context& context_;
  std::string source_;
  Registry registry_;
  StudyOptions options_;
  std::vector<StudyCase> cases_;
  std::map<std::string, Evaluation> references_;
};

const std::vector<std::string> kHeadings = {
    "scene",         "variant",        "value",         "threads",        "loss",    "loss error",
    "gradient norm", "gradient error", "forward CPU s", "backward CPU s", "wall s",  "iterations",
    "linear",        "evaluations",    "trials",        "full steps",     "adjoint", "missed"};

double per_search(const StudyRow& r, Index count) {
  return r.searches.searches > 0 ? static_cast<double>(count) / static_cast<double>(r.searches.searches)
                                 : kNaN;
}

std::vector<std::string> cells(const StudyRow& r) {
  if (!r.failure.empty()) {
    std::vector<std::string> row = {r.of.scene, r.of.variant, r.of.value, fmt::format("{}", r.of.threads),
                                    "failed: " + one_line(r.failure)};
    row.resize(kHeadings.size());
    return row;
  }
  return {r.of.scene,
          r.of.variant,
          r.of.value,
          fmt::format("{}", r.of.threads),
          number(r.loss, "{:.8g}"),
          number(r.loss_error, "{:.1e}"),
          number(r.gradient_size, "{:.6g}"),
          number(r.gradient_error, "{:.1e}"),
          number(r.forward_seconds, "{:.3g}"),
          number(r.backward_seconds, "{:.3g}"),
          number(r.wall_seconds, "{:.3g}"),
          fmt::format("{}", r.iterations),
          fmt::format("{}", r.linear_iterations),
          fmt::format("{}", r.evaluations),
          number(per_search(r, r.searches.evaluations), "{:.3g}"),
          number(100 * per_search(r, r.searches.full_steps), "{:.3g} %"),
          fmt::format("{}", r.adjoint_iterations),
          fmt::format("{}", r.missed)};
}

std::string report_text(const Study& study, const std::vector<StudyRow>& rows, const std::string& command) {
  const StudyOptions& options = study.options();
  std::string text = fmt::format("# {}\n\nWritten by `{}`, version {}, on {}.\n\n",
                                 options.title.empty() ? study.source() : options.title, command,
                                 RESILIN_VERSION, machine_description());
  if (options.optimize)
    return text +
           "Times are those of the whole process; `loss` is the least one of an optimisation from the "
           "start of its task.\n\n" +
           training_tables(options, rows);
  if (options.layout == "losses")
    return text + fmt::format("Losses against {}.\n\n", fmt::join(options.sweep.paths, ", ")) +
           loss_tables(options, rows);
  if (!options.reference.empty()) {
    text += fmt::format("Errors are relative to variant `{}`", options.reference);
    for (std::size_t i = 0; i < options.reference_set.size(); ++i)
      text += fmt::format("{} {} = {}", i == 0 ? " with" : ",", options.reference_set[i].first,
                          options.reference_set[i].second);
    text += ". ";
  }
  text += fmt::format(
      "Times are those of the whole process, medians of {}; `missed` counts solves, forward and "
      "adjoint, that did not reach their tolerance; `trials`: evaluations of a line search, of which `full "
      "steps` end with the first.\n\n",
      options.repeats);
  std::vector<std::vector<std::string>> table;
  for (const StudyRow& r : rows) table.push_back(cells(r));
  return text + markdown(kHeadings, table) + equal_error_tables(options, rows) + adjoint_table(options, rows);
}

std::string csv_text(const std::vector<StudyRow>& rows) {
  std::string text =
      "scene,variant,value,threads,loss,loss_error,gradient,gradient_error,forward_cpu_s,backward_cpu_s,wall_"
      "s,"
      "steps,iterations,linear_iterations,evaluations,adjoint_iterations,missed,failed,searches,full_steps,"
      "trials,least_radius,largest_radius,random_adjoints,random_converged,random_median\n";
  for (const StudyRow& r : rows)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(r.of.scene),
        quoted(r.of.variant), quoted(r.of.value), r.of.threads, r.loss, r.loss_error, r.gradient_size,
        r.gradient_error, r.forward_seconds, r.backward_seconds, r.wall_seconds, r.steps, r.iterations,
        r.linear_iterations, r.evaluations, r.adjoint_iterations, r.missed, r.failure.empty() ? 0 : 1,
        r.searches.searches, r.searches.full_steps, r.searches.evaluations, r.adjoints.least_radius,
        r.adjoints.largest_radius, r.adjoints.right_hand_sides, r.adjoints.converged, r.adjoints.median());
  return text;
}

/// The command without the place of the program.
std::string command_of(const Context& context) {
  const auto space = context.command_line.find(' ');
  return "./resilin" + (space == std::string::npos ? "" : context.command_line.substr(space));
}

/// Measures all rows of a study, which are written as they come. Returns its report; throws Interrupted once
/// what there is has been written.
std::string run_study(Study& study, const std::string& folder, const std::string& before, bool& all_failed) {
  const Context& context = study.context();
  make_folder(folder);
  std::optional<Progress> progress(std::in_place, "rows", static_cast<Index>(study.cases().size()),
                                   !context.quiet && progress_on_terminal());
  std::vector<StudyRow> rows;
  std::string text;
  for (const StudyCase& c : study.cases()) {
    progress->update(static_cast<Index>(rows.size()), c.name());
    try {
      rows.push_back(study.measure(c));
    } catch (const Interrupted&) {
      progress.reset();
      print_error(fmt::format("interrupted; the {} of {} rows so far are in {}", rows.size(),
                              study.cases().size(), folder + "/table.md"));
      throw;
    }
    if (!rows.back().failure.empty()) log_warn(c.name() + ": " + rows.back().failure);
    // What is measured survives what comes.
    text = report_text(study, rows, command_of(context));
    write_file(folder + "/table.md", text);
    write_file(folder + "/rows.csv", study.options().optimize ? training_csv(rows) : csv_text(rows));
    if (context.arguments.has("--table")) write_file(context.arguments.text("--table", ""), before + text);
  }
  progress.reset();
  all_failed = std::all_of(rows.begin(), rows.end(), [](const StudyRow& r) { return !r.failure.empty(); });
  return text;
}

int execute(const Context& context) {
  std::vector<std::unique_ptr<Study>> studies;  // all of them are read before the first is measured
  for (const std::string& source : context.arguments.words())
    studies.push_back(std::make_unique<Study>(context, source));
  const std::string given = context.arguments.text("-o", "results");
  if (given.empty()) throw Error(Errc::Input, "-o needs the name of a folder");
  std::string all;
  std::vector<std::string> files;
  bool good = true;
  for (const auto& study : studies) {
    const bool own = context.arguments.has("-o") && studies.size() == 1;
    const std::string folder =
        own ? given : given + "/" + std::filesystem::path(study->source()).stem().string();
    bool all_failed = false;
    try {
      all += run_study(*study, folder, all, all_failed) + "\n";
    } catch (const Interrupted&) {
      return kInterruptedCode;
    }
    good = good && !all_failed;
    for (const char* name : {"/table.md", "/rows.csv"}) files.push_back(folder + name);
  }
  if (context.json) {
    JsonWriter out;
    out.begin_object().field("status", "finished");
    write_texts(out, "files", files);
    print(out.end_object().text() + "\n");
  } else {
    print(all + fmt::format("in {}\n", fmt::join(files, ", ")));
  }
  return good ? kGood : kCheckFailed;
}

}  // namespace

Command ablate_command() {
  return {
      "ablate",
      "STUDY...",
      "solve tasks in several ways and compare",
      "A study names scenes, variants (lists of changed options) and an option that takes several values.\n"
      "For each combination: loss and gradient where the task starts, their errors against a reference,\n"
      "and CPU time of the forward and the backward pass; then the times of all variants at equal errors.\n"
      "With `optimize: true` the optimizer of each combination runs instead: loss against steps and time.\n"
      "Writes table.md and rows.csv, after every row. A row that cannot be simulated says why.",
      {"resilin ablate configs/diffpd/studies/solvers.yaml"},
      {output_option("results/STUDY; of several studies each has a folder in it"),
       {"--table", "FILE", "writes the tables of all studies to this file as well"}},
      1,
      -1,
      execute};
}

}  // namespace resilin::app

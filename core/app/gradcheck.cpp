// resilin gradcheck: adjoint gradients against central differences.
#include "core/optim/gradcheck.hpp"

#include "core/app/job.hpp"
#include "core/app/table.hpp"
#include "core/app/task_summary.hpp"
#include "core/base/interrupt.hpp"
#include "core/output/progress.hpp"
#include "core/params/passive_visitor.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace resilin::app {
namespace {

GradcheckOptions options_from(const Arguments& arguments) {
  GradcheckOptions options;
  options.tolerance = arguments.real("--tolerance", options.tolerance, 0, 1);
  options.coordinates = arguments.integer("--coordinates", options.coordinates, 0, 1'000'000);
  options.random_directions = arguments.integer("--directions", options.random_directions, 0, 1'000'000);
  options.paths = arguments.all("--parameter");
  return options;
}

std::string json_text(const Job& job, const Task& task, const GradcheckOptions& options,
                      const GradcheckReport& report) {
  JsonWriter out;
  job.write_head(out, report.passed ? "passed" : "failed", {});
  out.field("loss", report.loss)
      .field("tolerance", options.tolerance)
      .field("worst_error", report.worst_error);
  write_backward_choices(out, task);
  out.key("rows").begin_array();
  for (const GradcheckRow& r : report.rows) {
    out.begin_object().field("path", r.path).field("direction", r.direction).field("adjoint", r.adjoint);
    out.field("difference", r.difference).field("step", r.step).field("error", r.error);
    out.field("taylor_order", r.taylor_order)
        .field("noise", r.noise)
        .field("below_noise", r.below_noise)
        .field("one_sided", r.one_sided)
        .field("at_bound", r.at_bound)
        .field("passed", r.passed)
        .field("note", r.note);
    out.key("contact_changes").begin_array();
    for (const Index step : r.contact_changes) out.value(step);
    out.end_array().end_object();
  }
  return out.end_array().end_object().text() + "\n";
}

/// "contacts change in steps 3, 7, .. (12 in all)"; "" if they do not.
std::string changes_text(const GradcheckRow& row) {
  constexpr std::size_t kShown = 5;
  const std::size_t count = row.contact_changes.size();
  if (count == 0) return {};
  const std::vector<Index> shown(
      row.contact_changes.begin(),
      row.contact_changes.begin() + static_cast<std::ptrdiff_t>(std::min(count, kShown)));
  return fmt::format("contacts change in step{} {}{}", count > 1 ? "s" : "", fmt::join(shown, ", "),
                     count > kShown ? fmt::format(", .. ({} in all)", count) : "");
}

std::string verdict_text(const GradcheckRow& r) {
  const std::string changes = changes_text(r);
  if (!r.passed && !r.note.empty()) return "FAILED (no difference: " + r.note + ")";
  if (!r.passed) return changes.empty() ? "FAILED" : "FAILED (" + changes + ")";
  std::string text = r.at_bound      ? "not checked (its range is a point)"
                     : r.below_noise ? "ok (below rounding)"
                     : r.one_sided   ? "ok (one-sided)"
                                     : "ok";
  return changes.empty() ? text : text + " (" + changes + ")";
}

std::string table_text(const Task& task, const GradcheckOptions& options, const GradcheckReport& report) {
  Table table({"parameter", "direction", ">adjoint", ">difference", ">step", ">error", ">order", ""});
  for (const GradcheckRow& r : report.rows)
    table.add({r.path, r.direction, fmt::format("{:.9e}", r.adjoint), fmt::format("{:.9e}", r.difference),
               fmt::format("{:.1e}", r.step), fmt::format("{:.1e}", r.error),
               r.taylor_order == r.taylor_order ? fmt::format("{:.2f}", r.taylor_order) : "-",
               verdict_text(r)});
  const std::string choices = backward_choices_text(task);
  return table.text() + (choices.empty() ? "" : "\nbackward: " + choices + "\n") +
         fmt::format("\nloss {:.9g}; worst relative error {:.2e}, tolerance {:.2e}: {}\n", report.loss,
                     report.worst_error, options.tolerance, report.passed ? "passed" : "FAILED");
}

constexpr double kTightTolerance = 1e-11;

/// Lowers the relative tolerance of a solver, if it has one.
class Tighten final : public PassiveVisitor {
 public:
  void real(const char* name, double& value, const Spec&) override {
    if (std::string_view(name) == "relative_tolerance") value = std::min(value, kTightTolerance);
  }
};

/// Differences see the error of every solve, which the scene's own tolerances allow to be larger than what is
/// checked here; the adjoint is exact only where the solves are.
TaskOptions tightened(const TaskOptions& written) {
  TaskOptions options = written;
  Tighten tighten;
  for (ComponentSpec* solver : {&options.scene.forward, &options.scene.backward})
    if (solver->options != nullptr) solver->options->visit(tighten);
  return options;
}

int execute(const Context& context) {
  const GradcheckOptions options = options_from(context.arguments);
  const Job job(context);
  if (job.file().options.losses.empty())
    throw Error(Errc::Input,
                "a gradient check needs a loss: losses: [{loss: {type: ...}}]" +
                    suggest("", job.registry().types("loss")),
                context.arguments.words()[0]);
  const bool as_written = context.arguments.has("--scene-tolerances");
  Task task(as_written ? job.file().options : tightened(job.file().options), job.registry(),
            job.file().places);
  // Where the optimisation starts: at the scene's own values the gradient of a loss that matches its motion
  // is zero.
  if (task.size() > 0) task.apply(task.start());
  std::optional<Progress> progress(std::in_place, "simulation", 0, !context.quiet && progress_on_terminal());
  Index simulations = 0;
  task.on_step = [&](Index step) {
    if (step == 0) ++simulations;
    progress->update(simulations, fmt::format("step {}/{}", step, task.simulation().num_steps()));
  };
  const GradcheckReport report = check_gradient(task, options);
  progress.reset();
  print(context.json ? json_text(job, task, options, report) : table_text(task, options, report));
  return report.passed ? kGood : kCheckFailed;
}

}  // namespace

Command gradcheck_command() {
  return {
      "gradcheck",
      "TASK",
      "compare adjoint gradients with differences",
      "For every parameter, at the values of the scene or where a task starts: the derivative of the loss "
      "along the\n"
      "gradient, along random directions and along single coordinates, by the adjoint and by differences "
      "with "
      "the\n"
      "best of several steps, central ones or, at the end of a range, one-sided ones. A derivative that is "
      "smaller\n"
      "than what rounding and the solves leave of the difference is 'below rounding' and passes. The "
      "solvers' relative tolerances are lowered to 1e-11 for this, for\n"
      "differences see every error of a solve. Exit code 1 if one differs by more than the tolerance. Writes "
      "no\n"
      "files.",
      {"resilin gradcheck configs/quickstart.yaml",
       "resilin gradcheck configs/quickstart.yaml --parameter 'bodies.*.density' --tolerance 1e-7"},
      {set_option(),
       {"--tolerance", "X", "largest relative error; not given: 1e-6"},
       {"--parameter", "PATH", "check only these parameters, [*] and * are any; may be repeated"},
       {"--coordinates", "N", "single coordinates of each parameter; not given: 3"},
       {"--directions", "N", "random directions of each parameter; not given: 2"},
       {"--scene-tolerances", "", "solve no better than the scene asks for"}},
      1,
      1,
      execute};
}

}  // namespace resilin::app

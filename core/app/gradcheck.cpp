// resilin gradcheck: adjoint gradients against central differences.
#include "core/optim/gradcheck.hpp"

#include "core/app/job.hpp"
#include "core/app/table.hpp"
#include "core/base/interrupt.hpp"
#include "core/output/progress.hpp"

#include <fmt/format.h>

#include <optional>

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

std::string json_text(const Job& job, const GradcheckOptions& options, const GradcheckReport& report) {
  JsonWriter out;
  job.write_head(out, report.passed ? "passed" : "failed", {});
  out.field("loss", report.loss)
      .field("tolerance", options.tolerance)
      .field("worst_error", report.worst_error);
  out.key("rows").begin_array();
  for (const GradcheckRow& r : report.rows) {
    out.begin_object().field("path", r.path).field("direction", r.direction).field("adjoint", r.adjoint);
    out.field("difference", r.difference).field("step", r.step).field("error", r.error);
    out.field("taylor_order", r.taylor_order).field("below_noise", r.below_noise).field("passed", r.passed);
    out.end_object();
  }
  return out.end_array().end_object().text() + "\n";
}

std::string table_text(const GradcheckOptions& options, const GradcheckReport& report) {
  Table table({"parameter", "direction", ">adjoint", ">difference", ">step", ">error", ">order", ""});
  for (const GradcheckRow& r : report.rows)
    table.add({r.path, r.direction, fmt::format("{:.9e}", r.adjoint), fmt::format("{:.9e}", r.difference),
               fmt::format("{:.1e}", r.step), fmt::format("{:.1e}", r.error),
               r.taylor_order == r.taylor_order ? fmt::format("{:.2f}", r.taylor_order) : "-",
               !r.passed       ? "FAILED"
               : r.below_noise ? "ok (below rounding)"
                               : "ok"});
  return table.text() + fmt::format("\nloss {:.9g}; worst relative error {:.2e}, tolerance {:.2e}: {}\n",
                                    report.loss, report.worst_error, options.tolerance,
                                    report.passed ? "passed" : "FAILED");
}

int execute(const Context& context) {
  const GradcheckOptions options = options_from(context.arguments);
  const Job job(context);
  if (job.file().options.losses.empty())
    throw Error(Errc::Input,
                "a gradient check needs a loss, such as losses: [{loss: {type: linear_functional}}]",
                context.arguments.words()[0]);
  Task task(job.file().options, job.registry(), job.file().places);
  std::optional<Progress> progress(std::in_place, "simulation", 0, !context.quiet && progress_on_terminal());
  Index simulations = 0;
  task.on_step = [&](Index step) {
    if (step == 0) ++simulations;
    progress->update(simulations, fmt::format("step {}/{}", step, task.simulation().num_steps()));
  };
  const GradcheckReport report = check_gradient(task, options);
  progress.reset();
  print(context.json ? json_text(job, options, report) : table_text(options, report));
  return report.passed ? kGood : kCheckFailed;
}

}  // namespace

Command gradcheck_command() {
  return {"gradcheck",
          "SCENE|TASK",
          "compare adjoint gradients with central differences",
          "For every parameter of the scene: the derivative of the loss along the gradient, along random "
          "directions and\n"
          "along single coordinates, by the adjoint and by central differences with the best of several "
          "steps. Exit\n"
          "code 1 if one differs by more than the tolerance. Writes no files.",
          {"resilin gradcheck configs/quickstart.yaml",
           "resilin gradcheck configs/quickstart.yaml --parameter 'bodies.*.density' --tolerance 1e-7"},
          {set_option(),
           {"--tolerance", "X", "largest relative error; not given: 1e-6"},
           {"--parameter", "PATH", "check only these parameters, [*] and * are any; may be repeated"},
           {"--coordinates", "N", "single coordinates of each parameter; not given: 3"},
           {"--directions", "N", "random directions of each parameter; not given: 2"}},
          1,
          1,
          execute};
}

}  // namespace resilin::app

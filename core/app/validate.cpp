// resilin validate: everything that can be wrong with a file, without running it.
#include "core/app/job.hpp"
#include "core/optim/task.hpp"
#include "core/plugin/paths.hpp"

#include <fmt/format.h>

namespace resilin::app {
namespace {

/// Throws Error if something is wrong with the file.
void check_file(const std::string& file, const Arguments& arguments) {
  Registry registry;  // its own: plugins of one file are none of the next one's
  load_standard_plugins(registry);
  const SceneFile scene = read_scene(file, arguments.all("--set"), registry);
  if (arguments.has("--syntax-only")) return;
  const TaskOptions& options = scene.options;
  if (options.parameters.empty() && options.losses.empty()) {
    const Simulation simulation(options.scene, registry, scene.places);
    return;
  }
  Task task(options, registry, scene.places);
  BuildContext build;
  build.registry = &registry;
  build.places = &scene.places;
  build.path = "optimizer";
  build.place = options.optimizer.place;
  if (!options.parameters.empty()) registry.make<Optimizer>(options.optimizer, build);
}

int execute(const Context& context) {
  JsonWriter out;
  bool all_good = true;
  out.begin_object().key("files").begin_array();
  for (const std::string& file : context.arguments.words()) {
    std::string mistakes;
    try {
      check_file(file, context.arguments);
    } catch (const Error& e) {
      if (e.code() == Errc::Internal) throw;
      mistakes = e.what();
    }
    all_good = all_good && mistakes.empty();
    out.begin_object().field("file", file).field("ok", mistakes.empty());
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < mistakes.size();) {
      const std::size_t end = std::min(mistakes.find('\n', at), mistakes.size());
      lines.push_back(mistakes.substr(at, end - at));
      at = end + 1;
    }
    write_texts(out, "errors", lines);
    out.end_object();
    if (!context.json) print(mistakes.empty() ? file + ": ok\n" : mistakes + "\n");
  }
  out.end_array().field("ok", all_good).end_object();
  if (context.json) print(out.text() + "\n");
  return all_good ? kGood : kBadInput;
}

}  // namespace

Command validate_command() {
  return {"validate",
          "FILE...",
          "check scene and task files",
          "Lists all mistakes of each file with line and column, and builds meshes, materials and solvers to "
          "find what\n"
          "cannot be seen in the text. Preloads, and references of losses, are simulated for that; "
          "--syntax-only leaves\n"
          "all this out. Exit code 2 if a file has a mistake. Writes no files.",
          {"resilin validate configs/quickstart.yaml", "resilin validate --syntax-only configs/*.yaml"},
          {set_option(), {"--syntax-only", "", "read the files, build nothing"}},
          1,
          -1,
          execute};
}

}  // namespace resilin::app

#include "core/app/reference.hpp"

#include "core/model/scene_options.hpp"
#include "core/params/io.hpp"

#include <fmt/format.h>

namespace resilin::app {
namespace {

constexpr const char* kIntroduction =
    "# Reference of scene and task files\n\n"
    "Written by `resilin plugins reference`; what is said here is said in the code that reads the files.\n\n"
    "Files are YAML, in SI units, with z up. `extends: other.yaml` starts from another file (or a list of "
    "files): maps\n"
    "are merged, everything else is replaced. `--set path.to.key=value` changes a key from the command line. "
    "An\n"
    "unknown key is an error.\n\n"
    "A component is the name of its type, or a map with `type` and the keys of that type:\n\n"
    "    generator: my_shape\n"
    "    generator: {type: my_shape, size: 2}\n\n"
    "A field is one value, a list with one per item (element or vertex), `{steps: [...]}` with one entry per "
    "time step,\n"
    "or `{file: table.csv}`, with `per: step` if its rows are steps. A differentiable one may follow a "
    "signal, "
    "which has\n"
    "parameters of its own: `{signal: gait, scale: -1, offset: 2}` is 2 - s(t), t the start of each step. "
    "With\n"
    "`{regions: {name: ..}}` each of these forms is given per region of a body.\n\n"
    "Parameters marked differentiable have gradients; a task addresses them by path, such as\n"
    "`bodies.beam.materials[0].youngs_modulus`, and with `[*]` or `*` several at once that stay equal.\n\n"
    "## Scene and task\n\n";

}  // namespace

std::string describe_type(const Registry::Entry& entry, const std::string& heading) {
  std::string text = fmt::format("{} `{}`{}\n\n{}\n\n", heading, entry.type,
                                 entry.is_default ? " (default)" : "", entry.summary);
  const auto options = entry.make_options();
  const auto visit = [&](ParamVisitor& v) { options->visit(v); };
  const std::string table = describe_markdown(visit);
  const std::string no_rows = describe_markdown([](ParamVisitor&) {});
  return text + (table == no_rows ? "No parameters.\n" : table);
}

std::string reference_manual(const Registry& registry) {
  TaskOptions task;
  std::string text = kIntroduction + describe_markdown([&](ParamVisitor& v) { task.visit(v); });
  std::string kind;
  for (const Registry::Entry* entry : registry.entries()) {
    if (entry->kind != kind) text += fmt::format("\n## {}\n", kind = entry->kind);
    text += "\n" + describe_type(*entry, "###");
  }
  return text;
}

}  // namespace resilin::app

#include "core/app/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace resilin::app {
namespace {

std::string option_lines(const std::vector<Option>& options) {
  std::size_t width = 0;
  const auto left = [](const Option& o) { return o.value.empty() ? o.name : o.name + " " + o.value; };
  for (const Option& o : options) width = std::max(width, left(o).size());
  std::string text;
  for (const Option& o : options) text += fmt::format("  {:<{}}  {}\n", left(o), width, o.help);
  return text;
}

}  // namespace

const std::vector<Option>& common_options() {
  static const std::vector<Option> options = {
      {"--threads", "N", "threads to use; 0 or not given: all cores. Results do not depend on it"},
      {"--log-level", "LEVEL", "trace, debug, info, warn, error or off; not given: info"},
      {"--quiet", "", "no progress, and of the log only warnings and errors"},
      {"--json", "", "the result as one JSON object on standard output"},
      {"--help", "", "this text"}};
  return options;
}

Option output_option(const std::string& fallback) {
  return {"-o", "DIR", "output folder; not given: " + fallback};
}
Option set_option() {
  return {"--set", "PATH=VALUE", "change a key of the file, such as time.steps=10; may be repeated"};
}

std::string general_help(const std::vector<Command>& commands) {
  std::string text = fmt::format(
      "Resilin {}: simulates soft bodies, and differentiates the simulation\n\nusage: resilin COMMAND ...\n\n"
      "commands\n",
      RESILIN_VERSION);
  std::vector<Option> rows;
  constexpr std::size_t kWidest = 20;
  for (const Command& c : commands)
    rows.push_back({c.name, c.usage.size() > kWidest ? "..." : c.usage, c.summary});
  text += option_lines(rows) + "\nexamples\n";
  for (const Command& c : commands) text += fmt::format("  {}\n", c.examples.front());
  text += "\noptions of every command\n" + option_lines(common_options());
  text += "  --version names the version. `resilin COMMAND --help` explains a command.\n";
  return text +
         "\nexit codes: 0 good; 1 the job's own check failed (gradient wrong, not converged); 2 bad usage or "
         "input;\n            3 internal error; 130 interrupted\n";
}

std::string command_help(const Command& command) {
  std::string text =
      fmt::format("usage: resilin {} {}\n\n{}\n", command.name, command.usage, command.details);
  if (!command.options.empty()) text += "\noptions\n" + option_lines(command.options);
  text += "\noptions of every command\n" + option_lines(common_options());
  text += command.examples.size() == 1 ? "\nexample\n" : "\nexamples\n";
  for (const std::string& example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

}  // namespace resilin::app

// The program: finds the command, and turns what it throws into messages and exit codes.
#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/parallel.hpp"
#include "core/output/json.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace resilin::app {
namespace {

const char* name_of(Errc code) {
  switch (code) {
    case Errc::Input:
      return "input";
    case Errc::Plugin:
      return "plugin";
    case Errc::Numerics:
      return "numerics";
    case Errc::Io:
      return "io";
    case Errc::Internal:
      return "internal";
  }
  return "internal";
}

int exit_code_of(Errc code) {
  if (code == Errc::Numerics) return kCheckFailed;
  return code == Errc::Internal ? kInternalError : kBadInput;
}

/// What ends a job without a result of its own.
int report(bool json, const char* kind, const std::string& message, int code) {
  print_error(message);
  if (json) {
    JsonWriter out;
    out.begin_object().field("status", "error").field("error", kind).field("message", message).end_object();
    print(out.text() + "\n");
  }
  return code;
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string("_-./=,:+@%").find(c) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void apply_common_options(const Arguments& arguments) {
  const Index max_threads = 1024;
  set_num_threads(static_cast<int>(arguments.integer("--threads", 0, 0, max_threads)));
  const std::vector<std::string> levels = {"trace", "debug", "info", "warn", "error", "off"};
  const std::string level = arguments.text("--log-level", arguments.has("--quiet") ? "warn" : "info");
  const auto found = std::find(levels.begin(), levels.end(), level);
  if (found == levels.end())
    throw Error(Errc::Input, fmt::format("--log-level: no level '{}'{}", level, suggest(level, levels)));
  set_log_level(static_cast<LogLevel>(found - levels.begin()));
}

int execute(const Command& command, const std::vector<std::string>& line, const std::string& command_line) {
  std::vector<Option> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  const Arguments arguments(line, options);
  if (arguments.has("--help")) {
    print(command_help(command));
    return kGood;
  }
  const auto count = static_cast<Index>(arguments.words().size());
  if (count < command.min_words || (command.max_words >= 0 && count > command.max_words))
    throw Error(Errc::Input, fmt::format("usage: resilin {} {}; see `resilin {} --help`", command.name,
                                         command.usage, command.name));
  apply_common_options(arguments);
  return command.execute({command_line, arguments, arguments.has("--json"), arguments.has("--quiet")});
}

int dispatch(const std::vector<std::string>& line, const std::string& command_line) {
  const std::vector<Command> commands = {run_command(),    optimize_command(), gradcheck_command(),
                                         ablate_command(), validate_command(), plugins_command(),
                                         schema_command(), mesh_command()};
  if (line.empty()) {
    std::fputs(general_help(commands).c_str(), stderr);
    return kBadInput;
  }
  const std::string& name = line[0];
  if (name == "--help" || name == "-h") {
    print(general_help(commands));
    return kGood;
  }
  if (name == "--version") {
    print("resilin " RESILIN_VERSION "\n");
    return kGood;
  }
  std::vector<std::string> known;
  for (const Command& command : commands) {
    if (command.name == name) return execute(command, {line.begin() + 1, line.end()}, command_line);
    known.push_back(command.name);
  }
  if (name[0] == '-')
    throw Error(Errc::Input,
                fmt::format("expected a command before the options, found '{}'; see resilin --help", name));
  throw Error(Errc::Input, fmt::format("unknown command '{}'{}", name, suggest(name, known)));
}

int guarded(const std::vector<std::string>& line, const std::string& command_line) {
  const bool json = std::find(line.begin(), line.end(), "--json") != line.end();
  try {
    return dispatch(line, command_line);
  } catch (const Error& e) {
    return report(json, name_of(e.code()), e.what(), exit_code_of(e.code()));
  } catch (const Interrupted&) {
    return report(json, "interrupted", "interrupted before there was a result; nothing was written",
                  kInterruptedCode);
  } catch (const std::exception& e) {
    return report(json, "internal", std::string("internal error: ") + e.what(), kInternalError);
  } catch (...) {
    return report(json, "internal", "internal error: an exception that is no std::exception", kInternalError);
  }
}

/// Threads of libgomp spin while they wait, which on a machine shared with other work makes everything
/// several times slower (3 to 20 times were measured). It reads the environment before main() begins, so the
/// only way to choose otherwise is to start over. Whoever has set OMP_WAIT_POLICY is obeyed.
void wait_passively(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (::setenv("OMP_WAIT_POLICY", "passive", 1) == 0) ::execv("/proc/self/exe", argv);
  log_debug("could not start over with OMP_WAIT_POLICY=passive; threads may spin while they wait");
}

}  // namespace

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_error(const std::string& message) {
  std::fflush(stdout);  // in a shared terminal or file the order stays
  std::fputs(("error: " + message + "\n").c_str(), stderr);
}

bool progress_on_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace resilin::app

int main(int argc, char** argv) {
  using namespace resilin::app;
  wait_passively(argv);
  resilin::install_interrupt_handlers();
  std::string command_line;
  for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + shell_quoted(argv[i]);
  const int code = guarded({argv + std::min(argc, 1), argv + argc}, command_line);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("cannot write to standard output");
    return code == kGood ? kBadInput : code;
  }
  return code;
}

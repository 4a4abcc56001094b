// The commands of the program.
#pragma once

#include "core/app/arguments.hpp"

#include <string>
#include <vector>

namespace resilin::app {

enum ExitCode { kGood = 0, kCheckFailed = 1, kBadInput = 2, kInternalError = 3, kInterruptedCode = 130 };

/// One call of the program.
struct Context {
  std::string command_line;  ///< as a shell reads it
  Arguments arguments;
  bool json = false;   ///< one JSON object on standard output, nothing else
  bool quiet = false;  ///< no progress
};

struct Command {
  std::string name;
  std::string usage;    ///< what follows the name: "SCENE"
  std::string summary;  ///< half a line
  std::string details;
  std::vector<std::string> examples;
  std::vector<Option> options;  ///< besides those that all commands have
  Index min_words = 0, max_words = 0;
  int (*execute)(const Context&);  ///< returns an ExitCode; throws Error and Interrupted
};

Command run_command();
Command optimize_command();
Command gradcheck_command();
Command ablate_command();
Command validate_command();
Command plugins_command();
Command schema_command();
Command mesh_command();

/// Options that several commands share.
Option output_option(const std::string& fallback);
Option set_option();

std::string general_help(const std::vector<Command>& commands);
std::string command_help(const Command& command);
const std::vector<Option>& common_options();

/// Writes to standard output; main() checks at the end that all of it arrived.
void print(const std::string& text);
/// "error: ..." on standard error, whatever the log level.
void print_error(const std::string& message);
/// Whether progress is to be shown on a line that is redrawn.
bool progress_on_terminal();

}  // namespace resilin::app

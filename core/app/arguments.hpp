// Command lines: what a command accepts and what was given.
#pragma once

#include "core/base/types.hpp"

#include <map>
#include <string>
#include <vector>

namespace resilin::app {

struct Option {
  std::string name;   ///< "--set"
  std::string value;  ///< what follows it, as named in the help: "PATH=VALUE"; empty for a switch
  std::string help;
};

/// The words after the command. Values follow as "--name value" or "--name=value"; "--" ends the options.
class Arguments {
 public:
  /// Throws Error(Input), with the nearest known name, for an unknown option or one without its value.
  Arguments(const std::vector<std::string>& line, const std::vector<Option>& options);

  const std::vector<std::string>& words() const { return words_; }  ///< what is no option
  bool has(const std::string& option) const { return values_.count(option) > 0; }
  std::vector<std::string> all(const std::string& option) const;
  /// The last one given.
  std::string text(const std::string& option, const std::string& fallback) const;
  /// Throw Error(Input) unless the text is a number in [min, max].
  double real(const std::string& option, double fallback, double min, double max) const;
  Index integer(const std::string& option, Index fallback, Index min, Index max) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> words_;
};

}  // namespace resilin::app

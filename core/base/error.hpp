// The one exception type, and the place in a file that a message points to.
#pragma once

#include "core/base/types.hpp"

#include <stdexcept>
#include <string>

namespace resilin {

/// What went wrong, as far as a caller may want to branch on it.
enum class Errc {
  Input,     ///< the user's mistake in a scene, a mesh or on the command line (exit code 2)
  Plugin,    ///< a library that cannot be used (exit code 2)
  Numerics,  ///< no answer exists or none was found: NaN, a broken factorisation (exit code 1)
  Io,        ///< a file that cannot be read or written, a full disk (exit code 2)
  Internal   ///< a bug of Resilin (exit code 3)
};

/// A place in a text file; line and column count from 1, 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", without the parts that are unknown.
RESILIN_API std::string to_string(const Place& place);

/// Thrown for everything that stops a job. Not converging is no exception: see SolveReport.
class RESILIN_API Error : public std::runtime_error {
 public:
  /// `what()` reads "where: message", or only the message if `where` is empty.
  Error(Errc code, const std::string& message, const std::string& where = {});
  Error(Errc code, const std::string& message, const Place& place);
  ~Error() override;  // out of line: one type_info for all libraries
  Errc code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& where() const noexcept { return where_; }
  /// The place; of an error that was only told where in words, those stand for the file.
  const Place& place() const noexcept { return place_; }

 private:
  Errc code_;
  std::string message_;
  std::string where_;
  Place place_;
};

}  // namespace resilin

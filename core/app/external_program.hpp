// Programs of the system that a command calls.
#pragma once

#include <string>
#include <vector>

namespace resilin::app {

/// Full name of the program that a shell would take for `name`; empty if there is none on PATH.
std::string find_program(const std::string& name);

/// Runs a program in `folder`, where what it writes is kept in `log`, and waits for it. Throws Error(Input)
/// with the last lines of that unless it ends with 0, and Interrupted (after it was ended) where the user
/// asks for it.
void run_program(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& folder, const std::string& log);

/// A folder of its own for temporary files, removed at the end with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();  ///< throws Error(Io)
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace resilin::app

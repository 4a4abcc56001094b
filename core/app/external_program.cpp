#include "core/app/external_program.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace resilin::app {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotStart = 127;  // as shells say

/// In the child: only calls that are safe after fork.
[[noreturn]] void become(const std::string& program, char** argv, const std::string& folder,
                         const std::string& log) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || out < 0 || ::chdir(folder.c_str()) != 0) ::_exit(kCannotStart);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(program.c_str(), argv);
  ::_exit(kCannotStart);
}

int wait_for(pid_t child) {
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR)
      throw Error(Errc::Io, fmt::format("cannot wait for a program: {}", std::strerror(errno)));
    if (interrupted()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      throw Interrupted();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// The last lines of a text that hold anything, as one line.
std::string last_lines(const std::string& text) {
  constexpr int lines = 4;
  constexpr std::size_t longest = 400;
  std::string tail;
  std::size_t end = text.size();
  for (int n = 0; n < lines && end > 0;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const std::string line = text.substr(begin, end - begin);
    end = newline == std::string::npos ? 0 : newline;
    if (line.find_first_not_of(" \t\r-=") == std::string::npos) continue;
    tail = line + (tail.empty() ? "" : " | ") + tail;
    ++n;
  }
  if (tail.size() > longest) tail.erase(0, tail.size() - longest);
  for (char& c : tail)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return tail;
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, end)) / name;
    rest.erase(0, end + 1);
    std::error_code none;
    if (fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0)
      return fs::absolute(file, none).string();
  }
  return {};
}

void run_program(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& folder, const std::string& log) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(Errc::Io, fmt::format("cannot start {}: {}", program, std::strerror(errno)));
  if (child == 0) become(program, argv.data(), folder, log);
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string how = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  std::error_code none;
  const std::string said = fs::exists(log, none) ? last_lines(read_file(log)) : std::string();
  throw Error(Errc::Input, fmt::format("{} failed with {}{}{}", fs::path(program).filename().string(), how,
                                       said.empty() ? "" : "; it said: ", said));
}

TemporaryFolder::TemporaryFolder() {
  std::error_code failure;
  const fs::path base = fs::temp_directory_path(failure);
  path_ = ((failure ? fs::path("/tmp") : base) / "resilin-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(Errc::Io, fmt::format("cannot make a temporary folder: {}", std::strerror(errno)), path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  fs::remove_all(path_, failure);
  if (failure) log_warn(fmt::format("cannot remove {}: {}", path_, failure.message()));
}

}  // namespace resilin::app

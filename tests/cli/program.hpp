// Runs the built program as a user does.
#pragma once

#include "core/base/file.hpp"
#include "tests/support/json_value.hpp"
#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace resilin {

struct ProgramResult {
  int code = -1;  ///< exit code; 128 + signal if one ended it
  std::string out, err;
};

/// A running program; its output goes to files in `folder`, which is its current folder too.
class Program {
 public:
  Program(const std::string& folder, const std::vector<std::string>& arguments) : folder_(folder) {
    std::vector<std::string> words = {RESILIN_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string out = folder + "/.stdout", err = folder + "/.stderr";
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (::chdir(folder.c_str()) != 0) ::_exit(97);
    const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(out_file, STDOUT_FILENO);
    ::dup2(err_file, STDERR_FILENO);
    ::execv(RESILIN_PROGRAM, argv.data());
    ::_exit(98);
  }
  ~Program() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }
  ProgramResult wait() {
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, 0);
    const bool ours = ended == pid_;
    pid_ = -1;
    ProgramResult result;
    if (ours) result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_file(folder_ + "/.stdout");
    result.err = read_file(folder_ + "/.stderr");
    return result;
  }
  /// Whether `condition` became true while the program ran.
  bool wait_until(const std::function<bool()>& condition) const {
    for (int i = 0; i < 6000; ++i) {
      if (condition()) return true;
      if (::kill(pid_, 0) != 0) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

 private:
  std::string folder_;
  pid_t pid_ = -1;
};

/// A test with a folder of its own, in which the program runs.
class CliTest : public testing::Test {
 protected:
  ProgramResult run(const std::vector<std::string>& arguments) const {
    return Program(folder_.path(), arguments).wait();
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  const std::string& folder() const { return folder_.path(); }
  void write(const std::string& name, const std::string& text) const { write_file(path(name), text); }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  JsonValue json(const std::string& name) const { return JsonReader::read(read(name)); }

 private:
  TempFolder folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A beam of two elements, held at one end, that falls for a few steps.
inline std::string tiny_scene(int steps = 5) {
  return "name: tiny\ntime: {step: 0.01, steps: " + std::to_string(steps) +
         "}\n"
         "bodies:\n"
         "  beam:\n"
         "    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}\n"
         "    density: 1000\n"
         "    materials:\n"
         "      - {type: corotated, youngs_modulus: 1e5, poissons_ratio: 0.4}\n"
         "      - {type: volume, youngs_modulus: 1e5, poissons_ratio: 0.4}\n"
         "    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]\n";
}

/// Finds the stiffness that the scene was simulated with.
inline std::string tiny_task(int steps = 5) {
  return tiny_scene(steps) +
         "parameters:\n"
         "  - {path: 'bodies.beam.materials[*].youngs_modulus', lower: 1e4, upper: 1e6, scale: log, start: "
         "[4e4]}\n"
         "losses: [{loss: {type: match_trajectory}}]\n"
         "optimizer: {type: lbfgsb}\n";
}

}  // namespace resilin

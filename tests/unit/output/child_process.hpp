// Processes that a test may kill or starve without harm to itself.
#pragma once

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace resilin {

/// Runs `action` in a child, which ends with its result as exit code (99 if it throws) and with all that runs
/// at the end of a process.
template <class Action>
pid_t start_child(Action&& action) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = action();
  } catch (...) {
    ::_exit(code);
  }
  std::exit(code);
}

/// Exit code of a child, -1 if it ended in another way.
inline int exit_code_of(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A pipe over which a child tells how far it is; a byte is a step.
class StepPipe {
 public:
  StepPipe() { open_ = ::pipe(ends_) == 0; }
  ~StepPipe() {
    close_end(0);
    close_end(1);
  }
  StepPipe(const StepPipe&) = delete;
  StepPipe& operator=(const StepPipe&) = delete;
  bool is_open() const { return open_; }
  bool tell() const {
    const char step = 1;
    return ::write(ends_[1], &step, 1) == 1;
  }
  bool wait() const {
    char step = 0;
    return ::read(ends_[0], &step, 1) == 1;
  }
  void only_wait() { close_end(1); }
  void only_tell() { close_end(0); }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  int ends_[2] = {-1, -1};
  bool open_ = false;
};

}  // namespace resilin

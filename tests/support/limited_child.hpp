// Runs what must neither hang nor take much memory in a process of its own, which the system holds to that.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace resilin::test {

/// What `action` returns, or how the process ended otherwise ("signal 11"). It may take `megabytes` of
/// address space besides what the test has (its allocations beyond that throw bad_alloc) and `seconds` of
/// computing.
inline std::string in_limited_child(unsigned long megabytes, unsigned seconds,
                                    const std::function<std::string()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    unsigned long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit memory{pages * static_cast<unsigned long>(::sysconf(_SC_PAGESIZE)) + (megabytes << 20),
                        RLIM_INFINITY};
    const rlimit time{seconds, seconds};
    std::string result;
    if (::setrlimit(RLIMIT_AS, &memory) != 0 || ::setrlimit(RLIMIT_CPU, &time) != 0) result = "no limits";
    try {
      if (result.empty()) result = action();
    } catch (const std::exception& e) {
      result = std::string("exception: ") + e.what();
    }
    const bool told = ::write(ends[1], result.data(), result.size()) == static_cast<ssize_t>(result.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
    result.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) result += "signal " + std::to_string(WTERMSIG(status));
  return result;
}

}  // namespace resilin::test

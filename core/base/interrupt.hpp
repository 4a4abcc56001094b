// Ctrl-C and the like: a flag that long jobs look at between two steps.
#pragma once

#include "core/base/error.hpp"

namespace resilin {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP (a terminal that is closed) that set the flag; a second
/// signal ends the process at once. A SIGHUP that the caller has chosen to ignore (nohup) stays ignored.
RESILIN_API void install_interrupt_handlers();
RESILIN_API bool interrupted();

/// Thrown by a job that was asked to end; what it finished is on disk. Not an Error: nothing went wrong.
class RESILIN_API Interrupted : public std::exception {
 public:
  ~Interrupted() override;
  const char* what() const noexcept override;
};

}  // namespace resilin

// Logging for core and plugins alike: plugins never touch the logging library, so that one process has one
// log.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <string_view>

namespace resilin {

enum class LogLevel { Trace, Debug, Info, Warn, Error, Off };

/// Writes one line to the log (standard error).
RESILIN_API void log(LogLevel level, std::string_view message);
RESILIN_API void set_log_level(LogLevel level);
RESILIN_API LogLevel log_level();

inline void log_debug(std::string_view m) {
  log(LogLevel::Debug, m);
}
inline void log_info(std::string_view m) {
  log(LogLevel::Info, m);
}
inline void log_warn(std::string_view m) {
  log(LogLevel::Warn, m);
}

}  // namespace resilin

#include "core/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace resilin {
namespace {

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger l("resilin", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    l.set_pattern("%^%l%$: %v");
    l.set_level(spdlog::level::info);
    l.flush_on(spdlog::level::trace);
    return l;
  }();
  return instance;
}

}  // namespace

void log(LogLevel level, std::string_view message) {
  logger().log(
      static_cast<spdlog::level::level_enum>(static_cast<int>(level) == 5 ? 6 : static_cast<int>(level)),
      spdlog::string_view_t(message.data(), message.size()));
}
void set_log_level(LogLevel level) {
  logger().set_level(level == LogLevel::Off
                         ? spdlog::level::off
                         : static_cast<spdlog::level::level_enum>(static_cast<int>(level)));
}
LogLevel log_level() {
  const auto l = logger().level();
  return l >= spdlog::level::off ? LogLevel::Off : static_cast<LogLevel>(std::min(static_cast<int>(l), 4));
}

}  // namespace resilin

#include "core/app/machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace resilin::app {

std::string machine_description() {
  std::ifstream cpus("/proc/cpuinfo");
  std::string model = "an unknown processor";
  for (std::string line; std::getline(cpus, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    if (const auto colon = line.find(": "); colon != std::string::npos) model = line.substr(colon + 2);
    break;
  }
  const unsigned count = std::thread::hardware_concurrency();
  return fmt::format("{}, {} processor{}", model, count, count == 1 ? "" : "s");
}

}  // namespace resilin::app

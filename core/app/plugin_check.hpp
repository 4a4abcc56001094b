// The battery that a plugin library goes through.
#pragma once

#include "core/plugin/registry.hpp"

#include <string>
#include <vector>

namespace resilin::app {

struct PluginCheck {
  std::string type;  ///< "material my_rubber"
  std::string name;
  std::string value, limit;  ///< numbers, or why it failed; may be empty
  bool passed = false;
};

/// Checks every type that the loaded library `file` brings.
std::vector<PluginCheck> check_plugin(const Registry& registry, const std::string& file);

}  // namespace resilin::app

// Structs that cross the border have another size.
#include "tests/bad_plugins/hand_made_info.hpp"

namespace {
constexpr resilin::PluginInfo with_other_layout() {
  resilin::PluginInfo info = resilin::plugin_info("wrong_layout", "1.0");
  info.layout += 8;
  return info;
}
}  // namespace

RESILIN_HAND_MADE_PLUGIN(with_other_layout())

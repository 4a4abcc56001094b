// Came from another compiler; all else agrees.
#include "tests/bad_plugins/hand_made_info.hpp"

namespace {
constexpr resilin::PluginInfo with_other_compiler() {
  resilin::PluginInfo info = resilin::plugin_info("other_compiler", "1.0");
  info.compiler = "another";
  return info;
}
}  // namespace

RESILIN_HAND_MADE_PLUGIN(with_other_compiler())

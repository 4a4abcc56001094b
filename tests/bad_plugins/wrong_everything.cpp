// Differs in every part that counts, and in the compiler.
#include "tests/bad_plugins/hand_made_info.hpp"

namespace {
constexpr resilin::PluginInfo with_all_different() {
  const resilin::PluginInfo core = resilin::plugin_info("", "");
  return {core.api,
          "3.3.7",
          core.max_align / 2,
          core.max_static_align * 4,
          1 - core.malloc_aligned,
          1 - core.cxx11_abi,
          1 - core.debug_containers,
          "another",
          core.layout + 1,
          "0123456789abcdef",
          "wrong_everything",
          "1.0"};
}
}  // namespace

RESILIN_HAND_MADE_PLUGIN(with_all_different())

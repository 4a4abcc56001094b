// All that counts agrees; only the compiler has another name, which is no reason to refuse it.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

namespace {
constexpr resilin::PluginInfo with_other_compiler() {
  resilin::PluginInfo info = resilin::plugin_info("other_compiler", "1.0");
  info.compiler = "another";
  return info;
}
}  // namespace

extern "C" {
extern RESILIN_API const resilin::PluginInfo resilin_plugin_info;
const resilin::PluginInfo resilin_plugin_info = with_other_compiler();

RESILIN_API void resilin_plugin_register(resilin::Registry& registry);
void resilin_plugin_register(resilin::Registry& registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<1>>("foreign_thing", "twice 1");
}
}

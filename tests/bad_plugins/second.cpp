// Nothing is wrong here either.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("second", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<1>>("second_thing", "twice 1");
}

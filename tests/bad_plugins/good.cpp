// Nothing is wrong here.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("good", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<21>>("good_thing", "twice 21", true);
}

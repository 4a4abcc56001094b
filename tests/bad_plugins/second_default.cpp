// Wants to be the default of a kind; good.so does so too.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("second_default", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<8>>("rival_thing", "twice 8", true);
}

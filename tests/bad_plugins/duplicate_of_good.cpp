// Takes a name that good.so has.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("impostor", "2.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<6>>("new_thing", "free");
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<7>>("good_thing", "taken");
}

// Registers two types under one name.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("duplicate_within", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<4>>("twin", "the first");
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<5>>("twin", "the second");
}

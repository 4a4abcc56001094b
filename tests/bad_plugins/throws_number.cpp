// Throws what is no std::exception.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

RESILIN_PLUGIN("throws_number", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<3>>("half_done",
                                                                      "registered before the throw");
  throw 3;
}

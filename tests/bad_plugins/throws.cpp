// Registers one type and then gives up.
#include "core/plugin/plugin.hpp"
#include "tests/support/test_interface.hpp"

#include <stdexcept>

RESILIN_PLUGIN("throws", "1.0", registry) {
  registry.add<resilin::test::Gadget, resilin::test::ScaledGadget<3>>("half_done",
                                                                      "registered before the throw");
  throw std::runtime_error("the table of constants is missing");
}

// Calls a function that no library has. Linked lazily, it would open and fail at the first call.
#include "core/plugin/plugin.hpp"

void nowhere_to_be_found();

RESILIN_PLUGIN("missing_symbol", "1.0", registry) {
  if (registry.entries().empty()) nowhere_to_be_found();
}

// Another API number, and a struct that ends after it: a loader that reads on reads what is not there.
#include "core/plugin/plugin.hpp"

#include <cstdlib>

extern "C" {
extern RESILIN_API const int resilin_plugin_info;
const int resilin_plugin_info = RESILIN_API_NUMBER + 1;

RESILIN_API void resilin_plugin_register(resilin::Registry&);
void resilin_plugin_register(resilin::Registry&) {
  std::abort();
}
}

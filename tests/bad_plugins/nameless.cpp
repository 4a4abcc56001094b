// Fits, but messages could not name it.
#include "tests/bad_plugins/hand_made_info.hpp"

RESILIN_HAND_MADE_PLUGIN(resilin::plugin_info("", "1.0"))

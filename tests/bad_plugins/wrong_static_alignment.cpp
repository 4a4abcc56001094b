// Really compiled with EIGEN_MAX_STATIC_ALIGN_BYTES=32, as a build with -mavx and without the core's
// definitions.
#include "core/plugin/plugin.hpp"

#include <cstdlib>

static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == 32);

RESILIN_PLUGIN("wrong_static_alignment", "1.0", registry) {
  registry.entries();
  std::abort();
}

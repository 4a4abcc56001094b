// How often line searches are content with the step that they are given.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

/// Line searches of a simulation since whoever looks at this has set it back: the slot of its workspace that
/// belongs to its system.
struct LineSearchCount {
  Index searches = 0;     ///< that found a step
  Index full_steps = 0;   ///< of these, the first trial was good
  Index evaluations = 0;  ///< trials of all of them
};

}  // namespace resilin

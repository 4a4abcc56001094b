// Which formats write_mesh() knows: to be asked before long work is done for a file.
#pragma once

#include "core/base/types.hpp"

#include <string>

namespace resilin {

/// Throws Error(Input) that lists the formats, unless write_mesh() can write a file of this name.
RESILIN_API void require_writable_mesh(const std::string& file);

}  // namespace resilin

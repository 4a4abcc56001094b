// A small, stable hash that tells one resolved scene from another.
#pragma once

#include "core/base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace resilin {

/// FNV-1a with 64 bits, the same on every machine and in every version. It finds accidents, not attacks.
RESILIN_API std::uint64_t fnv1a64(const void* data, std::size_t size);
/// Sixteen lower-case hexadecimal digits.
RESILIN_API std::string hex64(std::uint64_t value);

}  // namespace resilin

#include "core/base/hash.hpp"

#include <fmt/format.h>

namespace resilin {

std::uint64_t fnv1a64(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

std::string hex64(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

}  // namespace resilin

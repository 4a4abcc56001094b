#include "core/base/random.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace resilin {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is in (0, 1]
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

VecX Random::normals(Index count) {
  VecX v(count);
  for (double& e : v) e = normal();
  return v;
}

Index Random::below(Index n) {
  const auto count = static_cast<std::uint64_t>(n);
  // Numbers beyond the last whole multiple of n would make the first ones likelier.
  const std::uint64_t end =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % count;
  std::uint64_t r = next();
  while (r >= end) r = next();
  return static_cast<Index>(r % count);
}

}  // namespace resilin

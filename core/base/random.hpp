// Random numbers that are the same on every machine.
#pragma once

#include "core/base/types.hpp"

#include <cstdint>

namespace resilin {

/// SplitMix64 [Steele, Lea, Flood 2014].
class RESILIN_API Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();           ///< in [0, 1)
  double normal();            ///< mean 0, variance 1 (Box and Muller's)
  VecX normals(Index count);  ///< independent ones
  Index below(Index n);       ///< 0 .. n - 1, each as likely as the others

 private:
  std::uint64_t state_;
  double spare_ = 0;  ///< Box and Muller's numbers come in pairs
  bool has_spare_ = false;
};

}  // namespace resilin

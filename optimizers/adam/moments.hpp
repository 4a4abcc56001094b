// The direction of Adam [Kingma, Ba 2015] from the gradients so far.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-12;
};

///     m = b1 m + (1 - b1) g,  w = b2 w + (1 - b2) g^2,
///     d = (m / (1 - b1^k)) / (sqrt(w / (1 - b2^k)) + epsilon)
class AdamMoments {
 public:
  AdamMoments(Index size, const AdamOptions& options)
      : options_(options), mean_(VecX::Zero(size)), square_(VecX::Zero(size)) {}

  void add(const VecX& gradient) {
    mean_ = options_.beta1 * mean_ + (1 - options_.beta1) * gradient;
    square_ = options_.beta2 * square_ + (1 - options_.beta2) * gradient.cwiseAbs2();
    power1_ *= options_.beta1;
    power2_ *= options_.beta2;
  }
  /// `size` d: to be taken off.
  VecX step(double size) const {
    const VecX scale = (square_ / (1 - power2_)).cwiseSqrt().array() + options_.epsilon;
    return size / (1 - power1_) * mean_.cwiseQuotient(scale);
  }

 private:
  AdamOptions options_;
  VecX mean_, square_;
  double power1_ = 1, power2_ = 1;
};

}  // namespace resilin

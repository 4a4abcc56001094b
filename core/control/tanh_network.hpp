// Fully connected networks: h_0 = s, h_l = tanh(W_l h_l-1 + b_l) in the hidden layers, z = W_L h_L-1 + b_L,
// r = tanh z or z. What controllers and fields of wind share.
#pragma once

#include "core/base/types.hpp"

#include <cstdint>
#include <vector>

namespace resilin {

/// The shape of a network; its weights are the caller's: those of one layer after the other, W_l row by row
/// (a row for each unit), then b_l.
class RESILIN_API TanhNetwork {
 public:
  TanhNetwork() = default;
  /// widths n_0 .. n_L: inputs, units of each hidden layer, outputs; bounded: tanh at the outputs too.
  TanhNetwork(std::vector<Index> widths, bool bounded);

  const std::vector<Index>& widths() const { return widths_; }
  Index num_weights() const;  ///< sum_l n_l (n_l-1 + 1)
  /// W uniform within +-sqrt(6 / (n_l + n_l-1)) [Glorot, Bengio 2010], that of the last layer times
  /// `last_gain`, and b = 0: the same on every machine.
  VecX draw_weights(std::uint64_t seed, double last_gain) const;
  /// h_1 .. h_L-1 and r.
  std::vector<VecX> layers(const VecX& weights, ConstVec s) const;
  /// For a cotangent z of r, with the layers that layers() gave: ds += (dr/ds)^T z, dweights += (dr/dw)^T z.
  void add_vjp(const VecX& weights, const std::vector<VecX>& layers, ConstVec s, ConstVec z, MutVec ds,
               MutVec dweights) const;

 private:
  std::vector<Index> widths_;
  bool bounded_ = true;
};

}  // namespace resilin

// What a policy may expect: V(s, k/N), a network that learns from the episodes.
#pragma once

#include "core/base/random.hpp"
#include "core/base/types.hpp"

#include <vector>

namespace resilin {

///     V = center + scale net((s - mean) / deviation),
/// net a perceptron with tanh units and one output without; weights as those of the controller `mlp`: of each
/// layer the matrix row by row, then the biases, matrices drawn uniformly within +-sqrt(6 / (in + out))
/// [Glorot, Bengio 2010], that of the last layer times 0.01, biases zero.
class Critic {
 public:
  Critic(Index inputs, const std::vector<Index>& hidden, Random& random);

  const VecX& weights() const { return weights_; }
  void set_weights(const VecX& w) { weights_ = w; }

  /// Mean and deviation become those of all inputs so far [inputs x n], a deviation of an input that does not
  /// change 1.
  void see(const MatX& inputs);
  /// Center and scale become mean and deviation of the targets, and the last layer changes so that V does
  /// not [van Hasselt et al. 2016].
  void rescale(const VecX& targets);

  VecX values(const MatX& inputs) const;  ///< V of each column
  /// 1/(2 n) sum of ((V - target) / scale)^2 over the n columns, and its gradient by the weights.
  double error(const MatX& inputs, const VecX& targets, VecX& gradient) const;

 private:
  std::vector<MatX> layers(const MatX& inputs) const;

  std::vector<Index> widths_;
  VecX weights_;
  VecX mean_, square_, deviation_;  ///< square_: sum of squared distances from the mean
  double count_ = 0, center_ = 0, scale_ = 1;
};

}  // namespace resilin

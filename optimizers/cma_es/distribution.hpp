// The search distribution of CMA-ES and how it learns.
#pragma once

#include "core/base/random.hpp"

#include <vector>

namespace resilin {

/// N(m, sigma^2 C), see cma_es.hpp; symbols as in the tutorial.
class CmaDistribution {
 public:
  CmaDistribution(const VecX& mean, double sigma, Index population);

  Index population() const { return lambda_; }
  Index num_parents() const { return weights_.size(); }
  const VecX& mean() const { return mean_; }
  double sigma() const { return sigma_; }
  void halve_sigma() { sigma_ /= 2; }
  /// Largest standard deviation of a coordinate.
  double largest_step() const;
  /// Condition number of C when it was last decomposed; infinite if it was not positive.
  double condition() const { return condition_; }

  /// m + sigma B D z with z of N(0, 1).
  VecX draw(Random& random) const;
  /// Moves to the next generation. `best`: the best points of the last one, the best first, at most
  /// num_parents() of them and at least one.
  void update(const std::vector<VecX>& best);

 private:
  VecX weights_of(Index count) const;
  void adapt_covariance(const MatX& steps, const VecX& weights, const VecX& mean_step, double mass);
  void decompose();

  Index n_, lambda_;
  VecX weights_;  ///< of the mu best, sum 1
  double c_sigma_, d_sigma_, c_c_, c_1_, c_mu_, expected_length_;
  VecX mean_;
  double sigma_;
  MatX covariance_, axes_;  ///< C, and B of C = B D^2 B^T
  VecX lengths_;            ///< D
  VecX path_sigma_, path_c_;
  double condition_ = 1;
  Index generation_ = 0, decomposed_ = 0;
};

}  // namespace resilin

// What proximal policy optimisation is made of, as functions of numbers alone. Rewards are to be large.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

/// Generalised advantage estimation [Schulman et al. 2016, eq. 16] of an episode that ends after N steps:
///     d_k = r_k + gamma V_k+1 - V_k,  A_k = sum over l >= 0 of (gamma lambda)^l d_k+l,  V_N = 0.
/// lambda = 1 with gamma = 1 is the sum of the rewards to come less V_k.
VecX advantages(const VecX& rewards, const VecX& values, double gamma, double lambda);

/// log N(y; mean, diag(sigma^2)) of each column, without its constant: -sum of ((y - m)/sigma)^2/2 + log
/// sigma
VecX log_densities(const MatX& y, const MatX& mean, const VecX& log_sigma);

/// Samples and what was thought of them when they were drawn.
struct PolicySamples {
  MatX outputs;      ///< [outputs x n]
  VecX log_density;  ///< [n], of the policy that drew them
  VecX advantage;    ///< [n]
};

struct SurrogateGradient {
  double value = 0;
  MatX mean;           ///< [outputs x n], by the means
  VecX log_sigma;      ///< [outputs]
  double clipped = 0;  ///< part of the samples whose ratio the clip holds
};

/// The clipped objective [Schulman et al. 2017, eq. 7], to be large, and its gradient:
///     1/n sum of min(q A, clip(q, 1 - c, 1 + c) A) + entropy_bonus H,   q = pi(y) / pi_old(y),
/// pi = N(mean, diag(sigma^2)) and H = sum of log sigma its entropy less a constant. Where the clip holds,
/// a sample has no gradient.
SurrogateGradient clipped_surrogate(const PolicySamples& samples, const MatX& mean, const VecX& log_sigma,
                                    double clip, double entropy_bonus);

}  // namespace resilin

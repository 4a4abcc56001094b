#include "optimizers/ppo/policy_gradient.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {

VecX advantages(const VecX& rewards, const VecX& values, double gamma, double lambda) {
  VecX a(rewards.size());
  double next_value = 0, next = 0;
  for (Index k = rewards.size(); k-- > 0;) {
    next = rewards[k] + gamma * next_value - values[k] + gamma * lambda * next;
    next_value = values[k];
    a[k] = next;
  }
  return a;
}

VecX log_densities(const MatX& y, const MatX& mean, const VecX& log_sigma) {
  const VecX inverse = (-log_sigma.array()).exp();
  const VecX squares = (inverse.asDiagonal() * (y - mean)).colwise().squaredNorm();
  return (-0.5 * squares).array() - log_sigma.sum();
}

SurrogateGradient clipped_surrogate(const PolicySamples& samples, const MatX& mean, const VecX& log_sigma,
                                    double clip, double entropy_bonus) {
  const Index n = mean.cols();
  const double share = 1 / static_cast<double>(n);
  const VecX inverse = (-log_sigma.array()).exp();
  const MatX z = inverse.asDiagonal() * (samples.outputs - mean);
  const VecX density = log_densities(samples.outputs, mean, log_sigma);
  SurrogateGradient g;
  g.mean = MatX::Zero(mean.rows(), n);
  g.log_sigma = VecX::Constant(log_sigma.size(), entropy_bonus);
  g.value = entropy_bonus * log_sigma.sum();
  for (Index j = 0; j < n; ++j) {
    const double ratio = std::exp(density[j] - samples.log_density[j]), a = samples.advantage[j];
    const double held = std::clamp(ratio, 1 - clip, 1 + clip);
    g.value += share * std::min(ratio * a, held * a);
    if (held * a < ratio * a) {
      g.clipped += share;
      continue;
    }
    // d log pi / d mean = z / sigma, d log pi / d log sigma = z^2 - 1
    const double weight = share * ratio * a;
    g.mean.col(j) = weight * inverse.cwiseProduct(z.col(j));
    g.log_sigma.array() += weight * (z.col(j).array().square() - 1);
  }
  return g;
}

}  // namespace resilin

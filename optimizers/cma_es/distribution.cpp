#include "optimizers/cma_es/distribution.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

/// 1 / sum w^2 for weights of sum 1: how many equal parents they are worth.
double selection_mass(const VecX& weights) {
  return 1 / weights.squaredNorm();
}

}  // namespace

CmaDistribution::CmaDistribution(const VecX& mean, double sigma, Index population)
    : n_(mean.size()),
      lambda_(population),
      mean_(mean),
      sigma_(sigma),
      covariance_(MatX::Identity(n_, n_)),
      axes_(covariance_),
      lengths_(VecX::Ones(n_)),
      path_sigma_(VecX::Zero(n_)),
      path_c_(VecX::Zero(n_)) {
  weights_ = weights_of(lambda_ / 2);
  const auto n = static_cast<double>(n_);
  const double mu = selection_mass(weights_);
  c_sigma_ = (mu + 2) / (n + mu + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (n + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu / n) / (n + 4 + 2 * mu / n);
  c_1_ = 2 / ((n + 1.3) * (n + 1.3) + mu);
  c_mu_ = std::min(1 - c_1_, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
  expected_length_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

VecX CmaDistribution::weights_of(Index count) const {
  VecX w(count);
  for (Index i = 0; i < count; ++i)
    w[i] = std::log(0.5 * static_cast<double>(lambda_ + 1)) - std::log(static_cast<double>(i + 1));
  return w / w.sum();
}

double CmaDistribution::largest_step() const {
  return sigma_ * std::sqrt(covariance_.diagonal().maxCoeff());
}

VecX CmaDistribution::draw(Random& random) const {
  return mean_ + sigma_ * (axes_ * lengths_.cwiseProduct(random.normals(n_)));
}

void CmaDistribution::update(const std::vector<VecX>& best) {
  const auto count = static_cast<Index>(best.size());
  const VecX weights = count == weights_.size() ? weights_ : weights_of(count);
  const double mass = selection_mass(weights);
  MatX steps(n_, count);
  for (Index i = 0; i < count; ++i) steps.col(i) = (best[static_cast<std::size_t>(i)] - mean_) / sigma_;
  const VecX mean_step = steps * weights;
  mean_ += sigma_ * mean_step;
  ++generation_;
  const VecX white = axes_ * (axes_.transpose() * mean_step).cwiseQuotient(lengths_);  // C^(-1/2) times it
  path_sigma_ = (1 - c_sigma_) * path_sigma_ + std::sqrt(c_sigma_ * (2 - c_sigma_) * mass) * white;
  adapt_covariance(steps, weights, mean_step, mass);
  sigma_ *= std::exp(c_sigma_ / d_sigma_ * (path_sigma_.norm() / expected_length_ - 1));
  // C changes by c_1 + c_mu a generation: its axes may be that much out of date.
  if (static_cast<double>(generation_ - decomposed_) * (c_1_ + c_mu_) * static_cast<double>(n_) * 10 >= 1)
    decompose();
}

void CmaDistribution::adapt_covariance(const MatX& steps, const VecX& weights, const VecX& mean_step,
                                       double mass) {
  const auto n = static_cast<double>(n_);
  // A path that is long because sigma is still growing would make C grow as well.
  const double known = 1 - std::pow(1 - c_sigma_, 2 * static_cast<double>(generation_));
  const bool stalled = path_sigma_.norm() / std::sqrt(known) >= (1.4 + 2 / (n + 1)) * expected_length_;
  path_c_ *= 1 - c_c_;
  if (!stalled) path_c_ += std::sqrt(c_c_ * (2 - c_c_) * mass) * mean_step;
  const double lost = stalled ? c_1_ * c_c_ * (2 - c_c_) : 0;  // variance that the path did not take up
  covariance_ *= 1 - c_1_ - c_mu_ + lost;
  covariance_ += c_1_ * path_c_ * path_c_.transpose();
  covariance_ += c_mu_ * steps * weights.asDiagonal() * steps.transpose();
}

void CmaDistribution::decompose() {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(covariance_);
  decomposed_ = generation_;
  const VecX& values = solver.eigenvalues();
  if (solver.info() != Eigen::Success || !(values[0] > 0)) {
    condition_ = std::numeric_limits<double>::infinity();
    return;
  }
  condition_ = values[n_ - 1] / values[0];
  axes_ = solver.eigenvectors();
  lengths_ = values.cwiseSqrt();
}

}  // namespace resilin

// The parts of proximal policy optimisation against sums and differences.
#include "optimizers/ppo/policy_gradient.hpp"

#include "core/base/random.hpp"
#include "optimizers/ppo/critic.hpp"
#include "tests/support/components.hpp"

#include <cmath>

namespace resilin::test {
namespace {

MatX random_matrix(Index rows, Index cols, unsigned seed) {
  return random_vector(rows * cols, seed).reshaped(rows, cols);
}

TEST(Advantages, AreTheSumOfTheDefinition) {
  const Index n = 7;
  const VecX r = random_vector(n, 1), v = random_vector(n, 2);
  for (const auto& [gamma, lambda] : {std::pair(0.9, 0.8), {1.0, 1.0}, {0.97, 0.0}, {1.0, 0.95}}) {
    const VecX a = advantages(r, v, gamma, lambda);
    for (Index k = 0; k < n; ++k) {
      double sum = 0;
      for (Index l = k; l < n; ++l) {
        const double next = l + 1 < n ? v[l + 1] : 0;
        sum += std::pow(gamma * lambda, static_cast<double>(l - k)) * (r[l] + gamma * next - v[l]);
      }
      EXPECT_NEAR(a[k], sum, 1e-14) << gamma << ", " << lambda << ", " << k;
    }
  }
  // Without discount and bootstrap: the rewards to come less the expectation.
  EXPECT_NEAR(advantages(r, v, 1, 1)[2], r.tail(n - 2).sum() - v[2], 1e-14);
}

TEST(Gaussian, DensitiesAreThoseOfIndependentNormals) {
  const MatX y = random_matrix(2, 3, 1), m = random_matrix(2, 3, 2);
  const VecX log_sigma = Eigen::Vector2d(-0.3, 0.4);
  const VecX d = log_densities(y, m, log_sigma);
  for (Index j = 0; j < 3; ++j) {
    double product = 1;
    for (Index i = 0; i < 2; ++i) {
      const double s = std::exp(log_sigma[i]), z = (y(i, j) - m(i, j)) / s;
      product *= std::exp(-0.5 * z * z) / s;
    }
    EXPECT_NEAR(std::exp(d[j]), product, 1e-14);
  }
}

struct SurrogateCase {
  PolicySamples samples;
  MatX mean;
  VecX log_sigma;
};

/// Twelve samples around a policy that has moved so far that some ratios are held on either side.
SurrogateCase moved_policy() {
  SurrogateCase c;
  const MatX old_mean = random_matrix(2, 12, 3);
  const VecX old_sigma = Eigen::Vector2d(-0.5, 0.1);
  c.samples.outputs = old_mean + 0.8 * random_matrix(2, 12, 4);
  c.samples.log_density = log_densities(c.samples.outputs, old_mean, old_sigma);
  c.samples.advantage = random_vector(12, 5);
  c.mean = old_mean + 0.3 * random_matrix(2, 12, 6);
  c.log_sigma = old_sigma + Eigen::Vector2d(0.05, -0.1);
  return c;
}

TEST(Surrogate, IsTheClippedObjectiveSampleBySample) {
  const SurrogateCase c = moved_policy();
  double sum = 0, held = 0;
  const VecX now = log_densities(c.samples.outputs, c.mean, c.log_sigma);
  for (Index j = 0; j < 12; ++j) {
    const double q = std::exp(now[j] - c.samples.log_density[j]), a = c.samples.advantage[j];
    const double clipped = q > 1.2 ? 1.2 : q < 0.8 ? 0.8 : q;
    sum += (a >= 0 ? std::min(q, clipped) : std::max(q, clipped)) * a / 12;
    if ((a > 0 && q > 1.2) || (a < 0 && q < 0.8)) held += 1.0 / 12;
  }
  const SurrogateGradient g = clipped_surrogate(c.samples, c.mean, c.log_sigma, 0.2, 0.3);
  EXPECT_NEAR(g.value, sum + 0.3 * c.log_sigma.sum(), 1e-14);
  EXPECT_NEAR(g.clipped, held, 1e-14);
  EXPECT_GT(held, 0.1) << "nothing is held: a test that cannot fail";
  EXPECT_LT(held, 0.9);
}

TEST(Surrogate, ItsGradientAgreesWithDifferences) {
  const SurrogateCase c = moved_policy();
  const SurrogateGradient g = clipped_surrogate(c.samples, c.mean, c.log_sigma, 0.2, 0.3);
  const auto value = [&](const MatX& mean, const VecX& log_sigma) {
    return clipped_surrogate(c.samples, mean, log_sigma, 0.2, 0.3).value;
  };
  const double h = 1e-6;
  for (Index j = 0; j < 12; ++j)
    for (Index i = 0; i < 2; ++i) {
      MatX up = c.mean, down = c.mean;
      up(i, j) += h, down(i, j) -= h;
      EXPECT_NEAR(g.mean(i, j), (value(up, c.log_sigma) - value(down, c.log_sigma)) / (2 * h), 1e-9)
          << i << ", " << j;
    }
  for (Index i = 0; i < 2; ++i) {
    VecX up = c.log_sigma, down = c.log_sigma;
    up[i] += h, down[i] -= h;
    EXPECT_NEAR(g.log_sigma[i], (value(c.mean, up) - value(c.mean, down)) / (2 * h), 1e-9) << i;
  }
  EXPECT_GT(g.mean.norm(), 0.01);
  EXPECT_GT((g.log_sigma.array() - 0.3).matrix().norm(), 0.01);
}

TEST(PpoCritic, ItsGradientAgreesWithDifferencesAndItsScalesChangeNothing) {
  Random random(3);
  Critic critic(4, {5, 3}, random);
  const MatX s = 3 * random_matrix(4, 20, 1);
  critic.set_weights(random_vector(critic.weights().size(), 2));
  critic.see(s);
  const VecX targets = 100 + 7 * random_vector(20, 3).array(), before = critic.values(s);
  critic.rescale(targets);
  EXPECT_LT((critic.values(s) - before).norm(), 1e-12 * before.norm()) << "rescaling moved the values";
  VecX g;
  const double error = critic.error(s, targets, g);
  EXPECT_GT(error, 0.1);
  EXPECT_GT(g.norm(), 0.1);
  const VecX w = critic.weights();
  const double h = 1e-6;
  VecX unused;
  for (Index i = 0; i < w.size(); ++i) {
    VecX at = w;
    at[i] += h;
    critic.set_weights(at);
    const double up = critic.error(s, targets, unused);
    at[i] -= 2 * h;
    critic.set_weights(at);
    EXPECT_NEAR(g[i], (up - critic.error(s, targets, unused)) / (2 * h), 1e-7 * g.norm()) << i;
  }
}

TEST(PpoCritic, SeesTheMeanAndDeviationOfAllInputs) {
  Random random(3);
  Critic parts(2, {3}, random);
  Random again(3);
  Critic whole(2, {3}, again);
  MatX s = 5 * random_matrix(2, 30, 1);
  s.row(1).setConstant(0.3);  // an input that never changes has no scale of its own
  whole.see(s);
  parts.see(s.leftCols(11));
  parts.see(s.rightCols(19));
  const VecX a = whole.values(s), b = parts.values(s);
  EXPECT_TRUE(a.allFinite());
  EXPECT_GT((a.array() - a.mean()).matrix().norm(), 1e-3);
  EXPECT_LT((a - b).norm(), 1e-12 * a.norm());
}

}  // namespace
}  // namespace resilin::test

#include "optimizers/ppo/ppo.hpp"

#include "core/base/log.hpp"
#include "core/base/random.hpp"
#include "optimizers/adam/moments.hpp"
#include "optimizers/ppo/critic.hpp"
#include "optimizers/ppo/policy_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace resilin {
namespace {

constexpr AdamOptions kAdam{.epsilon = 1e-8};  // of gradients of normalised numbers

/// What the episodes of an iteration tell, a column for each step.
struct Samples {
  MatX seen;    ///< by the policy
  MatX inputs;  ///< of the critic
  PolicySamples policy;
  VecX targets;  ///< of the critic
};

void clip_norm(VecX& gradient, double most) {
  if (const double norm = gradient.norm(); norm > most) gradient *= most / norm;
}

/// One minimisation.
class Learning {
 public:
  Learning(const Ppo::Options& options, ScaledProblem& problem, EpisodicObjective& episodes, VecX x)
      : options_(options),
        problem_(problem),
        episodes_(episodes),
        random_(static_cast<std::uint64_t>(options.seed)),
        x_(std::move(x)),
        log_sigma_(VecX::Constant(episodes.num_outputs(), std::log(options.sigma))),
        critic_(episodes.num_inputs() + 1, options.hidden, random_),
        policy_moments_(x_.size() + log_sigma_.size(), kAdam),
        critic_moments_(critic_.weights().size(), kAdam) {}

  /// False if the problem has ended.
  bool iterate() {
    const std::vector<Episode> all = run_episodes();
    if (all.empty()) {
      problem_.stop(false,
                    "no episode of an iteration can be simulated; the last failed because: " + failure_);
      return false;
    }
    const VecX from = x_;
    improve(judged(all));
    return settle(from);
  }
  const VecX& x() const { return x_; }
  std::string note() const {
    return failed_ == 0 ? "" : fmt::format("; {} of {} episodes failed", failed_, tried_);
  }

 private:
  std::vector<Episode> run_episodes();
  Samples judged(const std::vector<Episode>& all);
  void improve(const Samples& all);
  void improve_policy(const Samples& part, double size);
  void improve_critic(const Samples& part, double size);
  bool settle(const VecX& from);

  const Ppo::Options& options_;
  ScaledProblem& problem_;
  EpisodicObjective& episodes_;
  Random random_;
  VecX x_, log_sigma_;
  Critic critic_;
  AdamMoments policy_moments_, critic_moments_;
  Index tried_ = 0, failed_ = 0;
  std::string failure_;
};

std::vector<Episode> Learning::run_episodes() {
  const Index outputs = episodes_.num_outputs(), steps = episodes_.num_steps();
  const VecX sigma = log_sigma_.array().exp();
  std::vector<Episode> good;
  for (Index i = 0; i < options_.episodes; ++i) {
    problem_.check_limits();
    const VecX z = random_.normals(outputs * steps);
    ++tried_;
    try {
      Episode e = episodes_.run(problem_.original(x_), sigma.asDiagonal() * z.reshaped(outputs, steps));
      if (!e.rewards.allFinite()) throw Error(Errc::Numerics, "the loss of an episode is not a number");
      good.push_back(std::move(e));
    } catch (const Error& e) {
      if (e.code() != Errc::Numerics) throw;
      ++failed_;
      failure_ = e.what();
      log_warn("an episode counts for nothing: " + failure_);
    }
  }
  return good;
}

/// The samples of all episodes with their advantages, and what the critic is to learn of them.
Samples Learning::judged(const std::vector<Episode>& all) {
  const Index steps = episodes_.num_steps(), n = steps * static_cast<Index>(all.size());
  Samples s{MatX(episodes_.num_inputs(), n), MatX(episodes_.num_inputs() + 1, n), {}, VecX(n)};
  s.policy = {MatX(episodes_.num_outputs(), n), {}, VecX(n)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    s.seen.middleCols(static_cast<Index>(i) * steps, steps) = all[i].observations;
    s.policy.outputs.middleCols(static_cast<Index>(i) * steps, steps) = all[i].outputs;
  }
  s.inputs.topRows(s.seen.rows()) = s.seen;
  for (Index j = 0; j < n; ++j)
    s.inputs(s.seen.rows(), j) = static_cast<double>(j % steps) / static_cast<double>(steps);
  critic_.see(s.inputs);
  const VecX values = critic_.values(s.inputs);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Index at = static_cast<Index>(i) * steps;
    s.policy.advantage.segment(at, steps) =
        advantages(all[i].rewards, values.segment(at, steps), options_.discount, options_.gae_lambda);
  }
  s.targets = values + s.policy.advantage;
  critic_.rescale(s.targets);
  VecX& a = s.policy.advantage;
  a.array() -= a.mean();
  if (const double deviation = std::sqrt(a.squaredNorm() / static_cast<double>(n)); deviation > 0)
    a /= deviation;
  MatX mean;
  episodes_.outputs(problem_.original(x_), s.seen, mean);
  s.policy.log_density = log_densities(s.policy.outputs, mean, log_sigma_);
  return s;
}

Samples part_of(const Samples& all, const std::vector<Index>& which) {
  return {all.seen(Eigen::all, which),
          all.inputs(Eigen::all, which),
          {all.policy.outputs(Eigen::all, which), all.policy.log_density(which), all.policy.advantage(which)},
          all.targets(which)};
}

void Learning::improve(const Samples& all) {
  double rest = 1;
  if (options_.schedule == "linear")
    rest -=
        static_cast<double>(problem_.iterations()) / static_cast<double>(options_.stopping.max_iterations);
  std::vector<Index> order(static_cast<std::size_t>(all.seen.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto most = static_cast<std::size_t>(options_.minibatch);
  for (Index epoch = 0; epoch < options_.epochs; ++epoch) {
    for (std::size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[static_cast<std::size_t>(random_.below(static_cast<Index>(i) + 1))]);
    for (std::size_t begin = 0; begin < order.size(); begin += most) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min(most, order.size() - begin));
      const Samples part = part_of(all, {first, first + count});
      improve_policy(part, rest * options_.step);
      improve_critic(part, rest * options_.critic_step);
    }
  }
}

void Learning::improve_policy(const Samples& part, double size) {
  const VecX u = problem_.original(x_);
  MatX mean;
  episodes_.outputs(u, part.seen, mean);
  const SurrogateGradient g =
      clipped_surrogate(part.policy, mean, log_sigma_, options_.clip, options_.entropy_bonus);
  VecX du = VecX::Zero(u.size());
  episodes_.add_vjp(u, part.seen, g.mean, du);
  VecX gradient(u.size() + log_sigma_.size());
  gradient << -du.cwiseProduct(problem_.unit()), -g.log_sigma;
  clip_norm(gradient, options_.max_gradient_norm);
  policy_moments_.add(gradient);
  const VecX step = policy_moments_.step(size);
  x_ = problem_.projected(x_ - step.head(x_.size()));
  log_sigma_ -= step.tail(log_sigma_.size());
}

void Learning::improve_critic(const Samples& part, double size) {
  VecX gradient;
  (void)critic_.error(part.inputs, part.targets, gradient);
  clip_norm(gradient, options_.max_gradient_norm);
  critic_moments_.add(gradient);
  critic_.set_weights(critic_.weights() - critic_moments_.step(size));
}

/// Tries the new controllers, or the first of the points halfway back, a quarter of the way, ... that is
/// admissible. False, and the problem ends, if none is.
bool Learning::settle(const VecX& from) {
  constexpr int kMaxHalvings = 30;
  const VecX to = x_;
  double part = 1;
  for (int k = 0; k <= kMaxHalvings; ++k, part /= 2) {
    if (k > 0) x_ = from + part * (to - from);
    const double loss = problem_.value(x_);
    if (!std::isfinite(loss)) continue;
    log_debug(fmt::format("ppo: loss {:.6g} of the first, sigma {:.3g} .. {:.3g}", loss,
                          std::exp(log_sigma_.minCoeff()), std::exp(log_sigma_.maxCoeff())));
    return true;
  }
  problem_.stop(false, "no policy along the step can be evaluated; the last failed because: " +
                           problem_.last_failure());
  return false;
}

}  // namespace

void Ppo::Options::visit(ParamVisitor& v) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  stopping.visit_limits(v);
  v.integer("episodes", episodes, {.doc = "episodes of each iteration", .min = 1, .max = 1e6});
  v.integer("epochs", epochs, {.doc = "times that each sample is gone over", .min = 1, .max = 1e6});
  v.integer("minibatch", minibatch, {.doc = "samples of one step of Adam", .min = 1, .max = 1e9});
  v.real("sigma", sigma,
         {.doc = "first standard deviation of the noise on each output of the controllers, in its unit",
          .min = 0,
          .max = 1e9,
          .open = true});
  v.real(
      "clip", clip,
      {.doc = "how far from 1 the ratio of new to old probability pays", .min = 0, .max = 1, .open = true});
  v.real("discount", discount,
         {.doc = "weight of a reward against that of one step earlier; 1: the loss as it is",
          .min = 0,
          .max = 1});
  v.real("gae_lambda", gae_lambda,
         {.doc = "0: advantages by the critic alone, little variance but its bias; 1: by the rewards alone",
          .min = 0,
          .max = 1});
  v.real("step", step,
         {.doc = "step size of the policy: change of a weight by one minibatch, in units of the distance "
                 "between its bounds (its own unit without them), and of log sigma",
          .min = 0,
          .max = kInfinity,
          .open = true});
  v.real("critic_step", critic_step,
         {.doc = "step size of the critic's weights", .min = 0, .max = kInfinity, .open = true});
  v.choice("schedule", schedule, {"constant", "linear"},
           {.doc = "step sizes: as they are, or falling to zero over max_iterations"});
  v.real("entropy_bonus", entropy_bonus,
         {.doc = "weight of the entropy of the policy, which keeps the noise up", .min = 0});
  v.real("max_gradient_norm", max_gradient_norm,
         {.doc = "longer gradients, of the policy or the critic, are shortened to this",
          .min = 0,
          .max = kInfinity,
          .open = true});
  v.integers("hidden", hidden, {.doc = "units of each hidden layer of the critic", .min = 1, .max = 1e6});
  v.integer("seed", seed, {.doc = "seed of critic, noise and minibatches", .min = 0, .max = 1e15});
}

Ppo::Ppo(const Options& options, const BuildContext& context)
    : options_(options), path_(context.path), where_(context.input_error("", "").where()) {}

OptimizerReport Ppo::minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const {
  EpisodicObjective* episodes = f.episodes();
  if (episodes == nullptr)
    throw Error(Errc::Input,
                fmt::format("{}{}ppo learns controllers by trial, but there are none: give the scene "
                            "controllers, or take an optimizer such as lbfgsb or cma_es",
                            path_, path_.empty() ? "" : ": "),
                where_);
  StoppingOptions rules = options_.stopping;
  rules.loss_tolerance = -std::numeric_limits<double>::infinity();  // a loss that stands still says nothing
  ScaledProblem problem(f, lower, upper, rules);
  Learning learning(options_, problem, *episodes, problem.projected(problem.scaled(u)));
  try {
    (void)problem.value(learning.x());
    while (!problem.done() && learning.iterate()) {
    }
  } catch (const OptimizerStopped&) {  // the report says which limit
  } catch (const BudgetSpent& e) {
    if (!problem.has_failed()) problem.stop(false, e.what());  // else there is nothing, and finish() throws
  }
  OptimizerReport report = problem.finish(u);
  report.note += learning.note();
  return report;
}

}  // namespace resilin

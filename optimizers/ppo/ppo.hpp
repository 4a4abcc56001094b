// Proximal policy optimisation [Schulman et al. 2017] of the scene's controllers, without gradients of the
// simulation. The policy is y ~ N(mu(s; u), diag(sigma^2)): mu the controllers as the scene has them, u their
// weights (the variables of the task), sigma learned, one for each output. An iteration runs `episodes`
// episodes, whose rewards are what the loss falls by in each step; takes from them the advantages
// (policy_gradient.hpp) over what the critic (critic.hpp) expects of (s, k/N); normalises them to mean 0 and
// deviation 1; and goes over the samples `epochs` times in shuffled minibatches with steps of Adam for
// (u, log sigma) on the clipped objective and for the critic on its squared error. Then the controllers are
// tried once without noise: that loss is what is reported, and the best of these points is the result.
//
// What is optimised is the expected loss of the disturbed controllers, not the loss itself: the two have the
// same minimum only as sigma falls. Where the episodes add up the losses as they are, `discount` is 1.
//
// Bounds: by projection. An episode that fails counts for nothing and is said in the log and the note, where
// outputs that are out of range are rare that is a small bias; if all of an iteration fail, it ends. A step
// of the policy to weights that are not admissible is halved until it leads to ones that are.
#pragma once

#include "core/optim/scaled_problem.hpp"

#include <limits>
#include <string>
#include <vector>

namespace resilin {

class Ppo final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping{.max_iterations = 100};
    Index episodes = 8;
    Index epochs = 10;
    Index minibatch = 64;
    double sigma = 0.1;
    double clip = 0.2;
    double discount = 1;
    double gae_lambda = 0.95;
    double step = 3e-4;
    double critic_step = 1e-3;
    std::string schedule = "constant";
    double entropy_bonus = 0;
    double max_gradient_norm = std::numeric_limits<double>::infinity();
    std::vector<Index> hidden{64, 64};
    Index seed = 1;
    void visit(ParamVisitor& v);
  };
  Ppo(const Options& options, const BuildContext& context);
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
  std::string path_, where_;
};

}  // namespace resilin

#include "core/plugin/plugin.hpp"
#include "optimizers/adam/adam.hpp"
#include "optimizers/chain/chain.hpp"
#include "optimizers/cma_es/cma_es.hpp"
#include "optimizers/gradient_descent/gradient_descent.hpp"
#include "optimizers/lbfgs/lbfgs.hpp"
#include "optimizers/lbfgsb/lbfgsb.hpp"
#include "optimizers/multi_start/multi_start.hpp"
#include "optimizers/one_plus_one_es/one_plus_one_es.hpp"
#include "optimizers/ppo/ppo.hpp"

RESILIN_PLUGIN("optimizers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Optimizer, Lbfgsb>("lbfgsb", "L-BFGS with bounds (LBFGSpp)", true);
  registry.add<Optimizer, Lbfgs>("lbfgs",
                                 "L-BFGS with projection onto the bounds and a backtracking line search");
  registry.add<Optimizer, Adam>("adam",
                                "Adam with bias correction, a step schedule and projection onto the bounds");
  registry.add<Optimizer, GradientDescent>("gradient_descent",
                                           "Projected gradient descent with a line search");
  registry.add<Optimizer, CmaEs>("cma_es",
                                 "Evolution strategy with covariance matrix adaptation, without gradients");
  registry.add<Optimizer, OnePlusOneEs>(
      "one_plus_one_es", "(1+1) evolution strategy with the 1/5 success rule, without gradients");
  registry.add<Optimizer, Ppo>("ppo",
                               "Proximal policy optimisation of controllers by trial, without gradients");
  registry.add<Optimizer, MultiStart>("multi_start",
                                      "Another optimizer from several points between the bounds");
  registry.add<Optimizer, Chain>("chain", "Several optimizers, each from the best point of those before");
}

#include "core/plugin/plugin.hpp"
#include "optimizers/adam/adam.hpp"
#include "optimizers/gradient_descent/gradient_descent.hpp"
#include "optimizers/lbfgs/lbfgs.hpp"
#include "optimizers/lbfgsb/lbfgsb.hpp"

RESILIN_PLUGIN("optimizers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Optimizer, Lbfgsb>("lbfgsb", "L-BFGS with bounds (LBFGSpp)", true);
  registry.add<Optimizer, Lbfgs>("lbfgs",
                                 "L-BFGS with projection onto the bounds and a backtracking line search");
  registry.add<Optimizer, Adam>("adam",
                                "Adam with bias correction, a step schedule and projection onto the bounds");
  registry.add<Optimizer, GradientDescent>("gradient_descent",
                                           "Projected gradient descent with a line search");
}

#include "core/plugin/plugin.hpp"
#include "optimizers/lbfgsb/lbfgsb.hpp"

RESILIN_PLUGIN("optimizers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Optimizer, Lbfgsb>("lbfgsb", "L-BFGS with bounds (LBFGSpp)", true);
}

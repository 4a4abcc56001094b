#include "core/plugin/plugin.hpp"
#include "plugins/backward/auto.hpp"

RESILIN_PLUGIN("backward", "0.1.0", registry) {
  using namespace resilin;
  registry.add<BackwardSolver, PdKrylov>("pd_krylov", "Krylov method preconditioned by the forward factor",
                                         true);
  registry.add<BackwardSolver, PdFixedPoint>("pd_fixed_point",
                                             "Fixed-point iteration with the forward factor (DiffPD)");
  registry.add<BackwardSolver, PdLbfgsAdjoint>("pd_lbfgs", "L-BFGS around the forward matrix (DiffPD)");
  registry.add<BackwardSolver, DirectAdjoint>("direct", "Sparse factorisation of the exact Hessian");
  registry.add<BackwardSolver, AutoAdjoint>("auto",
                                            "The other backward solver that takes the least counted work");
}

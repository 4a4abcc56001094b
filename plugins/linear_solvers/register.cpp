#include "core/plugin/plugin.hpp"
#include "plugins/linear_solvers/cholmod.hpp"
#include "plugins/linear_solvers/eigen_ldlt.hpp"

RESILIN_PLUGIN("linear_solvers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<LinearSolver, Cholmod>("cholmod", "CHOLMOD: supernodal Cholesky, LDL^T if indefinite", true);
  registry.add<LinearSolver, EigenLdlt>("eigen_ldlt", "Eigen's simplicial LDL^T");
}

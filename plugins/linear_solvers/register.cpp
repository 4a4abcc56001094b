#include "core/plugin/plugin.hpp"
#include "plugins/linear_solvers/cg_ic.hpp"
#include "plugins/linear_solvers/cholmod.hpp"
#include "plugins/linear_solvers/eigen_ldlt.hpp"
#include "plugins/linear_solvers/eigen_llt.hpp"
#include "plugins/linear_solvers/eigen_llt_mixed.hpp"
#include "plugins/linear_solvers/eigen_lu.hpp"

RESILIN_PLUGIN("linear_solvers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<LinearSolver, Cholmod>("cholmod", "CHOLMOD: supernodal Cholesky, LDL^T if indefinite", true);
  registry.add<LinearSolver, EigenLdlt>("eigen_ldlt", "Eigen's simplicial LDL^T");
  registry.add<LinearSolver, EigenLlt>("eigen_llt", "Eigen's simplicial LL^T, definite matrices only");
  registry.add<LinearSolver, EigenLu>("eigen_lu", "Eigen's supernodal LU, for indefinite matrices as well");
  registry.add<LinearSolver, CgIncompleteCholesky>(
      "cg_ic", "Conjugate gradients with incomplete Cholesky, definite matrices only");
  registry.add<LinearSolver, EigenLltMixed>(
      "eigen_llt_mixed",
      "Eigen's LL^T in single precision, refined to double by conjugate gradients; definite matrices only");
}

#include "core/plugin/plugin.hpp"
#include "plugins/forward/newton.hpp"
#include "plugins/forward/newton_pcg.hpp"
#include "plugins/forward/pd.hpp"
#include "plugins/forward/pd_anderson.hpp"
#include "plugins/forward/pd_lbfgs.hpp"
#include "plugins/forward/pd_newton_krylov.hpp"

RESILIN_PLUGIN("forward", "0.1.0", registry) {
  using namespace resilin;
  registry.add<ForwardSolver, PdNewtonKrylov>(
      "pd_newton_krylov", "Inexact Newton, preconditioned by the factor of Projective Dynamics", true);
  registry.add<ForwardSolver, ProjectiveDynamics>("pd", "Local/global iteration of Projective Dynamics");
  registry.add<ForwardSolver, Newton>("newton", "Newton with sparse Cholesky and line search");
  registry.add<ForwardSolver, NewtonPcg>("newton_pcg", "Inexact Newton without any factorisation");
  registry.add<ForwardSolver, PdLbfgs>("pd_lbfgs", "L-BFGS around the matrix of Projective Dynamics");
  registry.add<ForwardSolver, PdAnderson>("pd_anderson", "Projective Dynamics with Anderson acceleration");
}

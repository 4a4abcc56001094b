#include "plugins/backward/pd_krylov.hpp"

#include "core/base/log.hpp"
#include "core/solve/krylov.hpp"

namespace resilin {

void PdKrylov::Options::visit(ParamVisitor& v) {
  tolerance.visit(v);
  v.choice("method", method, {"auto", "cg", "minres"},
           {.doc = "auto: conjugate gradients, MINRES where they meet negative curvature"});
}

SolveReport PdKrylov::solve_within(Index max_iterations, const StepProblem& problem, ConstVec x, ConstVec b,
                                   MutVec z) const {
  auto& scratch = problem.workspace().slot<KrylovScratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  const auto product = [&](ConstVec in, MutVec out) { h.multiply(in, out, problem.fixed()); };
  const auto precondition = [&](ConstVec in, MutVec out) { problem.solve_prefactored(in, out); };
  report.tolerance = options_.tolerance.relative_tolerance * norm(b);
  KrylovReport k;
  if (options_.method != "minres") {
    k = conjugate_gradients(product, precondition, b, z, true, report.tolerance, max_iterations, scratch);
    report.linear_iterations = k.iterations;
  }
  const bool indefinite = k.stop == KrylovReport::Stop::NegativeCurvature;
  if (options_.method == "minres" || (indefinite && options_.method == "auto")) {
    if (indefinite) log_debug("adjoint: negative curvature, MINRES takes over");
    k = minres(product, precondition, b, z, report.tolerance, max_iterations, scratch);
    report.linear_iterations += k.iterations;
  }
  report.iterations = report.linear_iterations;
  report.residual = k.residual;
  report.converged = k.stop == KrylovReport::Stop::Converged;
  if (k.stop == KrylovReport::Stop::NegativeCurvature)
    report.note = "indefinite Hessian; use method auto or minres";
  if (k.stop == KrylovReport::Stop::Breakdown) report.note = "the Krylov method broke down";
  return report;
}

}  // namespace resilin

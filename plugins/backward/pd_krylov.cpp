#include "plugins/backward/pd_krylov.hpp"

#include "core/base/log.hpp"
#include "core/energy/rounded_matrix.hpp"
#include "core/solve/krylov.hpp"

namespace resilin {

namespace {

struct Scratch {
  RoundedMatrix rounded;
  KrylovScratch krylov;
};

}  // namespace

void PdKrylov::Options::visit(ParamVisitor& v) {
  tolerance.visit(v);
  v.choice("method", method, {"auto", "cg", "minres"},
           {.doc = "auto: conjugate gradients, MINRES where they meet negative curvature"});
}

SolveReport PdKrylov::solve_within(Index max_iterations, const StepProblem& problem, ConstVec x, ConstVec b,
                                   MutVec z) const {
  auto& [rounded, scratch] = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  const bool has_rounded = rounded.take(h);
  const auto product = [&](ConstVec in, MutVec out) { h.multiply(in, out, problem.fixed()); };
  const auto rounded_product = [&](ConstVec in, MutVec out) {
    if (has_rounded)
      rounded.multiply(in, out, problem.fixed());
    else
      product(in, out);
  };
  const auto precondition = [&](ConstVec in, MutVec out) { problem.precondition(in, out); };
  report.tolerance = options_.tolerance.relative_tolerance * norm(b);
  KrylovReport k;
  if (options_.method != "minres") {
    const LinearMap exact = product;
    k = conjugate_gradients(rounded_product, precondition, &exact, b, z, true, report.tolerance,
                            max_iterations, scratch);
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

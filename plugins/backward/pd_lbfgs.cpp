#include "plugins/backward/pd_lbfgs.hpp"

#include "core/solve/lbfgs.hpp"

namespace resilin {
namespace {

struct Scratch {
  VecX r, p, hp;  ///< r = H z - b
  LbfgsHistory history;
};

}  // namespace

void PdLbfgsAdjoint::Options::visit(ParamVisitor& v) {
  tolerance.visit(v);
  v.integer("history", history,
            {.doc = "steps that the Hessian is updated with; none is the method of steepest descent",
             .min = 0,
             .max = 1000});
}

SolveReport PdLbfgsAdjoint::solve_within(Index max_iterations, const StepProblem& problem, ConstVec x,
                                         ConstVec b, MutVec z) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  report.tolerance = options_.tolerance.relative_tolerance * norm(b);
  s.p.resize(b.size()), s.hp.resize(b.size()), s.r.resize(b.size());
  const auto true_residual = [&] {
    h.multiply(z, s.r, problem.fixed());
    s.r -= b;
    return norm(s.r);
  };
  s.history.reset(b.size(), options_.history);
  report.residual = true_residual();
  double checked = report.residual;
  for (;;) {
    if (report.residual <= report.tolerance) {
      // The recurrence drifts from the true residual, which is what was promised.
      report.residual = true_residual();
      report.converged = report.residual <= report.tolerance;
      if (report.converged) return report;
      if (report.iterations > 0 && !(report.residual < 0.5 * checked)) {
        report.note = "rounding allows no smaller residual";
        return report;
      }
      checked = report.residual;
    }
    if (report.iterations == max_iterations) return report;
    s.history.apply([&](ConstVec in, MutVec out) { problem.precondition(in, out); }, s.r, s.p);
    ++report.iterations;
    ++report.linear_iterations;
    h.multiply(s.p, s.hp, problem.fixed());
    const double curvature = dot(s.p, s.hp);
    if (!(curvature > 0)) {
      report.note = "indefinite Hessian; use pd_krylov or direct";
      return report;
    }
    const double step = -dot(s.r, s.p) / curvature;
    s.p *= step;
    s.hp *= step;
    z += s.p;
    s.r += s.hp;
    s.history.add(s.p, s.hp);
    report.residual = norm(s.r);
  }
}

}  // namespace resilin

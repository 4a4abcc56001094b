#include "plugins/backward/pd_fixed_point.hpp"

#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  VecX r, dz;
};

}  // namespace

SolveReport PdFixedPoint::solve_within(Index max_iterations, const StepProblem& problem, ConstVec x,
                                       ConstVec b, MutVec z) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  const double scale = norm(b), relaxation = problem.system().is_projective() ? 1.0 : 0.5;
  report.tolerance = options_.tolerance.relative_tolerance * scale;
  s.r.resize(b.size());
  h.multiply(z, s.r, problem.fixed());
  s.r = b - s.r;
  s.dz.resize(b.size());
  for (;;) {
    report.residual = norm(s.r);
    if (report.residual <= report.tolerance) {
      report.converged = true;
      return report;
    }
    if (!(report.residual < 1e6 * scale)) {
      report.note =
          "the iteration diverges: the Hessian is more than twice (no projection: four times) A, or "
          "indefinite";
      return report;
    }
    if (report.iterations == max_iterations) return report;
    problem.precondition(s.r, s.dz);
    z += relaxation * s.dz;
    h.multiply(z, s.r, problem.fixed());
    s.r = b - s.r;
    ++report.iterations;
    ++report.linear_iterations;
  }
}

}  // namespace resilin

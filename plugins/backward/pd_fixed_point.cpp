#include "plugins/backward/pd_fixed_point.hpp"

#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  VecX r, dz;
};

}  // namespace

SolveReport PdFixedPoint::solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  const double scale = norm(b);
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
      report.note = "the iteration diverges: the spectral radius of A^-1 dA is not below 1";
      return report;
    }
    if (report.iterations == options_.tolerance.max_iterations) return report;
    problem.solve_prefactored(s.r, s.dz);
    z += s.dz;
    h.multiply(z, s.r, problem.fixed());
    s.r = b - s.r;
    ++report.iterations;
    ++report.linear_iterations;
  }
}

}  // namespace resilin

#include "plugins/forward/newton.hpp"

#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  FreeMatrix matrix;
  std::unique_ptr<Factorization> factor;
  std::uint64_t pattern_id = 0;
  VecX r, p, free_r, free_p;
  LineSearchScratch search;
};

/// Factorises the Hessian at x, exact if that is definite, else projected. False if even that fails.
bool factorize(const StepProblem& problem, ConstVec x, bool reanalyze, Scratch& s, SolveReport& report) {
  for (const bool project : {false, true}) {
    const BlockMatrix& h = problem.hessian(x, project);
    const SpMat& a = s.matrix.update(h, problem.fixed());
    if (s.pattern_id != s.matrix.pattern_id() || !s.factor || reanalyze) {
      s.factor = problem.linear_solver().analyze(a);
      s.pattern_id = s.matrix.pattern_id();
    }
    if (s.factor->factorize(a, true) == Factorization::Result::PositiveDefinite) return true;
    report.met_negative_curvature = true;
  }
  return false;
}

}  // namespace

void Newton::Options::visit(ParamVisitor& v) {
  tolerances.visit(v);
  v.flag("reanalyze", reanalyze,
         {.doc = "order and analyse the matrix anew in every iteration (for comparisons)"});
}

SolveReport Newton::solve(const StepProblem& problem, MutVec x) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  s.r.resize(problem.size());
  s.p.resize(problem.size());
  double g = start_solve(problem, options_.tolerances, x, s.r, report);
  for (;;) {
    report.residual = norm(s.r);
    if (!std::isfinite(report.residual)) {
      report.note = "the residual is not a number";
      return report;
    }
    if (report.residual <= report.tolerance) {
      report.converged = true;
      return report;
    }
    if (report.iterations == options_.tolerances.max_iterations) return report;
    ++report.iterations;
    if (!factorize(problem, x, options_.reanalyze, s, report)) {
      report.note = "the Hessian cannot be factorised";
      return report;
    }
    s.free_r.resize(s.matrix.size());
    s.free_p.resize(s.matrix.size());
    s.matrix.gather(s.r, s.free_r);
    s.factor->solve(s.free_r, s.free_p);
    s.free_p *= -1;
    s.matrix.scatter(s.free_p, s.p);
    ++report.linear_iterations;
    const Index evaluations = line_search(problem, s.p, x, s.r, g, s.search);
    if (evaluations == 0) {
      report.note = "no decrease along Newton's direction";
      return report;
    }
    report.evaluations += evaluations;
  }
}

}  // namespace resilin

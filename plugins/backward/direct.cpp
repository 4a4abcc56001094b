#include "plugins/backward/direct.hpp"

namespace resilin {
namespace {

struct Scratch {
  FreeMatrix matrix;
  std::unique_ptr<Factorization> factor;
  std::uint64_t pattern_id = 0;
  VecX free_b, free_z, r, dz;
};

constexpr Index kMaxRefinements = 5;

}  // namespace

void DirectAdjoint::Options::visit(ParamVisitor& v) {
  v.real(
      "relative_tolerance", relative_tolerance,
      {.doc =
           "residual of the adjoint system relative to its right-hand side, reached by iterative refinement",
       .min = 0,
       .max = 1});
  v.flag("reanalyze", reanalyze,
         {.doc = "order and analyse the matrix anew in every step (for comparisons)"});
}

Factorization::Work DirectAdjoint::work(const StepProblem& problem) const {
  const auto& s = problem.workspace().slot<Scratch>(this);
  return s.factor ? s.factor->work() : Factorization::Work{};
}

SolveReport DirectAdjoint::solve(const StepProblem& problem, ConstVec x, ConstVec b, MutVec z) const {
  auto& s = problem.workspace().slot<Scratch>(this);
  SolveReport report;
  const BlockMatrix& h = problem.hessian(x, false);
  const SpMat& a = s.matrix.update(h, problem.fixed());
  if (a.rows() == 0) {  // everything is held
    z.setZero();
    report.converged = true;
    report.residual = report.tolerance = 0;
    return report;
  }
  if (s.pattern_id != s.matrix.pattern_id() || !s.factor || options_.reanalyze) {
    s.factor = problem.linear_solver().analyze(a);
    s.pattern_id = s.matrix.pattern_id();
  }
  report.tolerance = options_.relative_tolerance * norm(b);
  const Factorization::Result result = s.factor->factorize(a);
  if (result == Factorization::Result::Singular ||
      (result == Factorization::Result::Indefinite && !s.factor->solves_indefinite())) {
    report.note = "the Hessian is singular at this step, or the linear solver cannot factorise it";
    return report;
  }
  s.free_b.resize(s.matrix.size());
  s.free_z.resize(s.matrix.size());
  s.r = b;
  s.dz.resize(b.size());
  z.setZero();
  for (Index k = 0; k <= kMaxRefinements; ++k) {
    s.matrix.gather(s.r, s.free_b);
    s.factor->solve(s.free_b, s.free_z);
    s.matrix.scatter(s.free_z, s.dz);
    z += s.dz;
    ++report.linear_iterations;
    h.multiply(z, s.r, problem.fixed());
    s.r = b - s.r;
    report.residual = norm(s.r);
    if (report.residual <= report.tolerance) {
      report.converged = true;
      return report;
    }
  }
  report.note =
      result == Factorization::Result::Indefinite ? "indefinite Hessian, unstable without pivoting" : "";
  return report;
}

}  // namespace resilin

#include "core/solve/curvature.hpp"

#include "core/base/random.hpp"
#include "core/solve/krylov.hpp"

#include <cmath>

namespace resilin {
namespace {

constexpr int kMaxSaddles = 5;      // that are left in one step
constexpr int kMaxHalvings = 30;    // of the way down from one
constexpr double kAccuracy = 1e-4;  // to which conjugate gradients look
constexpr Index kMaxIterations = 1000;

struct Scratch {
  VecX b, solution, trial, r;
  KrylovScratch krylov;
};

/// Moves x to where g is lowest among +-t p, the nodes moving by at most a tenth of how far they lie apart,
/// or half of that, a quarter ...; false if it is lower nowhere.
bool descend(const StepProblem& problem, const VecX& p, MutVec x, Scratch& s) {
  const auto nodes = as_columns(ConstVec(x));
  const double extent = (nodes.rowwise().maxCoeff() - nodes.rowwise().minCoeff()).norm(),
               largest = as_columns(p).colwise().norm().maxCoeff(), g = problem.value(x);
  double t = 0.1 * extent / largest, best = g - problem.value_rounding(), way = 0;
  for (int k = 0; k < kMaxHalvings; ++k, t /= 2)
    for (const double along : {t, -t}) {
      s.trial = x + along * p;
      const double there = problem.value(s.trial);
      if (there < best) best = there, way = along;
    }
  x += way * p;
  return way != 0;
}

}  // namespace

VecX find_negative_curvature(const StepProblem& problem, ConstVec x) {
  auto& s = problem.workspace().slot<Scratch>(&problem.system());
  const BlockMatrix& h = problem.hessian(x, false);
  Random random(1);
  s.b.resize(problem.size());
  for (Index i = 0; i < s.b.size(); ++i)
    s.b[i] = problem.fixed()[static_cast<std::size_t>(i)] ? 0 : random.uniform() - 0.5;
  s.solution.setZero(s.b.size());
  const KrylovReport k =
      conjugate_gradients([&](ConstVec in, MutVec out) { h.multiply(in, out, problem.fixed()); },
                          [&](ConstVec in, MutVec out) { problem.precondition(in, out); }, nullptr, s.b,
                          s.solution, false, kAccuracy * norm(s.b), kMaxIterations, s.krylov);
  return k.stop == KrylovReport::Stop::NegativeCurvature ? s.krylov.p : VecX();
}

void leave_saddles(const ForwardSolver& forward, const StepProblem& problem, MutVec x, SolveReport& report) {
  const std::string& saddles = forward.tolerances().saddles;
  if (saddles == "ignore" || !report.converged) return;
  if (saddles == "leave" && !report.met_negative_curvature) return;
  auto& s = problem.workspace().slot<Scratch>(&problem.system());
  for (int k = 0; k <= kMaxSaddles; ++k) {
    const VecX p = find_negative_curvature(problem, x);
    if (p.size() == 0) return;
    if (!descend(problem, p, x, s)) return;  // it falls by no more than rounding: as good as a minimum
    if (k == kMaxSaddles) {
      report.converged = false;
      report.note = "it ended at a saddle of the energy again and again";
      return;
    }
    problem.keep_guess(true);
    const SolveReport again = forward.solve(problem, x);
    problem.keep_guess(false);
    ++report.saddles;
    report.converged = again.converged;
    report.iterations += again.iterations;
    report.evaluations += again.evaluations;
    report.linear_iterations += again.linear_iterations;
    report.residual = again.residual;
    report.tolerance = again.tolerance;
    report.note = again.note;
    if (!again.converged) return;
  }
}

}  // namespace resilin

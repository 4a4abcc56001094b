#include "plugins/contact_solvers/semismooth_newton.hpp"

#include "core/base/interrupt.hpp"
#include "core/solve/krylov.hpp"
#include "plugins/contact_solvers/contact_sweep.hpp"
#include "plugins/contact_solvers/fixed_point_contact.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

constexpr double kForcing = 0.01;  // largest relative residual of a linear solve
constexpr double kKeep = 0.01;     // a Hessian is kept while it lowers the merit by this factor
constexpr int kMaxHalvings = 5;    // of a Newton step
constexpr double kEscape = 0.01;   // where Newton gets stuck, fixed-point iterations lower the merit by this
constexpr Index kSweeps = 200;     // of Gauss-Seidel in each of them

struct Scratch {
  ContactJacobian jacobian;
  GmresScratch krylov;
  VecX b, direction;
  ContactIterate now, trial;  // their memory is used again
};

/// The Newton direction (dx, df) at an iterate, into s.direction.
KrylovReport find_direction(const StepProblem& step, const BlockMatrix& hessian, const ContactIterate& i,
                            double target, double law_weight, const GmresOptions& options, Scratch& s) {
  const Index n = i.x.size(), m = static_cast<Index>(i.active.size());
  s.jacobian.update(step, hessian, i.active);
  s.b.resize(n + 3 * m);
  s.b.head(n) = -i.r;
  for (Index k = 0; k < m; ++k)
    s.b.segment<3>(n + 3 * k) = -i.active[static_cast<std::size_t>(k)].law.residual;
  s.direction.setZero(n + 3 * m);
  return solve_bordered(s.jacobian, false, options, s.b, target, law_weight, s.direction, s.krylov);
}

/// Moves along a direction by the largest of 1, 1/2, 1/4 ... that lowers the merit; false if none does, and
/// the iterate stays.
bool search_line(ContactEvaluator& evaluator, const VecX& direction, ContactIterate& now,
                 ContactIterate& trial) {
  const Index n = now.x.size();
  double alpha = 1;
  for (int k = 0; k <= kMaxHalvings; ++k, alpha /= 2) {
    trial.x = now.x + alpha * direction.head(n);
    trial.forces = now.forces;
    for (std::size_t c = 0; c < now.active.size(); ++c)
      trial.forces.col(static_cast<Index>(now.active[c].number)) +=
          alpha * direction.segment<3>(n + 3 * static_cast<Index>(c));
    evaluator.evaluate(trial);
    const bool is_better = trial.is_admissible && trial.merit <= (1 - 0.1 * alpha) * now.merit;
    if (!is_better && !(trial.is_admissible && evaluator.is_solved(trial))) continue;
    std::swap(now, trial);
    return true;
  }
  return false;
}

}  // namespace

void SemismoothNewton::Options::visit(ParamVisitor& v) {
  tolerance.visit(v);
  v.integer("max_iterations", max_iterations,
            {.doc = "Newton steps and fixed-point iterations of a step", .min = 1, .max = 1e9});
  v.integer("max_sweeps", max_sweeps,
            {.doc = "fixed-point iterations in a row where no step along Newton's direction is better",
             .min = 0,
             .max = 1e9});
  gmres.visit(v);
}

void SemismoothNewton::check(const System& system, const BuildContext& context) const {
  require_surface_law(system, context);
}

SolveReport SemismoothNewton::solve(const ContactProblem& p, MutVec x,
                                    std::vector<NodeContact>& contacts) const {
  auto& s = p.step.workspace().slot<Scratch>(this);
  ContactEvaluator evaluator(p, options_.tolerance);
  SolveReport& report = evaluator.report;
  ContactSweep sweep(p);
  ContactIterate& now = s.now;
  evaluator.start(x, contacts, now);
  double previous = now.merit, forcing = kForcing;
  const BlockMatrix* hessian = nullptr;  // null: that of the next iterate is needed
  while (now.is_admissible && !evaluator.is_final(now) && report.iterations < options_.max_iterations) {
    if (report.iterations > 0) forcing = std::clamp(0.9 * now.merit / previous, 1e-6, kForcing);
    // A Hessian that gave a good step is good for another.
    if (report.iterations == 0 || now.merit > kKeep * previous) hessian = nullptr;
    const bool is_fresh = hessian == nullptr;
    if (is_fresh) hessian = &p.step.hessian(now.x, false);
    previous = now.merit;
    ++report.iterations;
    double law = 0;
    for (const ActiveContact& a : now.active) law += a.law.residual.squaredNorm();
    // Residual and law each to their part: the law's own tolerance may be far smaller.
    const double size = std::sqrt(now.residual * now.residual + law),
                 target = std::max(forcing * size, 0.3 * report.tolerance),
                 law_target = std::max(0.1 * forcing * std::sqrt(law), now.law_tolerance);
    const KrylovReport k =
        find_direction(p.step, *hessian, now, target, std::max(1.0, target / law_target), options_.gmres, s);
    report.linear_iterations += k.iterations;
    if (search_line(evaluator, s.direction, now, s.trial)) continue;
    hessian = nullptr;
    if (!is_fresh) continue;
    if (interrupted()) throw Interrupted();
    if (options_.max_sweeps == 0) {
      report.note = "no step along Newton's direction is better, and max_sweeps is 0";
      break;
    }
    const double goal = kEscape * now.merit;
    const ContactIterate stuck = now;
    for (Index j = 0; j < options_.max_sweeps && now.is_admissible && now.merit > goal; ++j) {
      if (evaluator.is_solved(now)) break;
      if (interrupted()) throw Interrupted();
      ++report.iterations;
      sweep.gauss_seidel(now, kSweeps);
      sweep.move(now);
      evaluator.evaluate(now);
    }
    if (now.is_admissible) continue;
    now = stuck;  // a place to report, instead of one that ran away
    evaluator.evaluate(now);
    report.note = "contact did not settle: its fixed-point iterations diverge";
    break;
  }
  return evaluator.finish(now, x, contacts);
}

}  // namespace resilin

#include "plugins/contact_solvers/semismooth_newton.hpp"

#include "core/solve/krylov.hpp"
#include "plugins/contact_solvers/contact_jacobian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

constexpr int kMemory = 5;       // merits that a new one is compared with
constexpr int kMaxHalvings = 6;  // of a step

struct Scratch {
  ContactJacobian jacobian;
  GmresScratch krylov;
  VecX r, p, b, residual, start, solved;
};

/// An iterate: positions, forces, and how far they are from a solution.
struct Iterate {
  VecX x;
  Mat3X forces;
  std::vector<ActiveContact> active;
  VecX r;                     ///< R(x) - E f [N]
  double merit = 0;           ///< r . B r + sum |L|^2 / rho [J]
  double law = 0;             ///< largest excess of |L| over what is allowed; <= 1 is solved
  double residual = 0;        ///< |r| [N]
  bool is_admissible = true;  ///< R(x) exists
};

class Search {
 public:
  Search(const ContactProblem& p, const SemismoothNewton::Options& options, Scratch& s)
      : p_(p), options_(options), s_(s), contacts_(p) {}

  NodeContacts& contacts() { return contacts_; }

  /// Fills in all but x and forces.
  void evaluate(Iterate& i, double tolerance) {
    contacts_.set_forces(i.forces);
    contacts_.find_active(i.x, i.active);
    i.forces = contacts_.forces();
    i.r.resize(i.x.size());
    const double g = p_.step.residual(i.x, i.r);
    ++evaluations;
    contacts_.subtract_forces(i.r);
    i.residual = norm(i.r);
    i.is_admissible = std::isfinite(g) && std::isfinite(i.residual);
    if (!i.is_admissible) return;
    s_.p.resize(i.x.size());
    p_.step.precondition(i.r, s_.p);
    i.merit = dot(i.r, s_.p);
    i.law = 0;
    for (const ActiveContact& a : i.active) {
      i.merit += a.law.residual.squaredNorm() / a.rho;
      const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                              (a.law.trial.norm() + a.rho * i.x.segment<3>(3 * a.node).norm());
      const double allowed = std::max(std::min(tolerance, a.rho * options_.gap_tolerance), rounding);
      i.law = std::max(i.law, a.law.residual.norm() / allowed);
    }
  }

  /// The Newton direction (dx, df) at an iterate to a relative residual of `forcing`.
  KrylovReport direction(const Iterate& i, double target, VecX& d) {
    const Index n = i.x.size(), m = static_cast<Index>(i.active.size());
    s_.jacobian.update(p_.step, p_.step.hessian(i.x, false), i.active);
    s_.b.resize(n + 3 * m);
    s_.b.head(n) = -i.r;
    for (Index k = 0; k < m; ++k)
      s_.b.segment<3>(n + 3 * k) = -i.active[static_cast<std::size_t>(k)].law.residual;
    d.resize(n + 3 * m);
    const auto product = [&](ConstVec in, MutVec out) { s_.jacobian.multiply(in, out); };
    const auto precondition = [&](ConstVec in, MutVec out) { s_.jacobian.precondition(in, out); };
    const KrylovReport k = gmres(product, precondition, s_.b, d, false, target,
                                 options_.max_linear_iterations, options_.restart, s_.krylov);
    // The law itself to rounding: what the preconditioner's left of it is far more than it may be.
    s_.residual.resize(n + 3 * m);
    s_.jacobian.multiply(d, s_.residual);
    s_.residual = s_.b - s_.residual;
    s_.residual.head(n).setZero();
    s_.solved.resize(n + 3 * m);
    s_.jacobian.precondition(s_.residual, s_.solved);
    d += s_.solved;
    return k;
  }

  /// Moves along d, as far as the merit asks for.
  Iterate step(const Iterate& from, const VecX& d, double tolerance) {
    const double reference = *std::max_element(recent_.begin(), recent_.end());
    Iterate best, trial;
    best.merit = std::numeric_limits<double>::infinity();
    best.is_admissible = false;
    double alpha = 1;
    for (int k = 0; k <= kMaxHalvings; ++k, alpha /= 2) {
      const Index n = from.x.size();
      trial.x = from.x + alpha * d.head(n);
      trial.forces = from.forces;
      for (std::size_t c = 0; c < from.active.size(); ++c)
        trial.forces.col(static_cast<Index>(from.active[c].pair)) +=
            alpha * d.segment<3>(n + 3 * static_cast<Index>(c));
      evaluate(trial, tolerance);
      if (!trial.is_admissible) continue;
      if (trial.merit < best.merit || !best.is_admissible) best = trial;
      if (trial.merit <= (1 - 1e-4 * alpha) * reference) break;
    }
    return best;
  }
  void remember(double merit) {
    recent_.push_back(merit);
    if (recent_.size() > kMemory) recent_.erase(recent_.begin());
  }

  Index evaluations = 0;

 private:
  const ContactProblem& p_;
  const SemismoothNewton::Options& options_;
  Scratch& s_;
  NodeContacts contacts_;
  std::vector<double> recent_;
};

}  // namespace

void SemismoothNewton::Options::visit(ParamVisitor& v) {
  v.real("gap_tolerance", gap_tolerance,
         {.doc = "how far a node in contact may be from its law's place",
          .unit = "m",
          .min = 0,
          .max = 1,
          .open = true});
  v.integer("max_iterations", max_iterations, {.doc = "Newton steps", .min = 1, .max = 1e6});
  v.integer("max_linear_iterations", max_linear_iterations,
            {.doc = "GMRES iterations for one direction", .min = 1, .max = 1e9});
  v.integer("restart", restart, {.doc = "GMRES vectors that are kept", .min = 1, .max = 1e5});
}

void SemismoothNewton::check(const System& system, const BuildContext& context) const {
  for (std::size_t m = 0; m < system.contacts().size(); ++m)
    if (system.contacts()[m]->keeps_place())
      throw context.input_error(
          "", fmt::format("contacts[{}] keeps places off the surface: only active_set does that", m));
}

SolveReport SemismoothNewton::solve(const ContactProblem& p, MutVec x,
                                    std::vector<NodeContact>& contacts) const {
  auto& s = p.step.workspace().slot<Scratch>(this);
  p.step.hold({});
  SolveReport report;
  s.start = x;
  s.r.resize(x.size());
  start_solve(p.step, p.forward.tolerances(), s.start, s.r, report);
  Search search(p, options_, s);
  search.contacts().take(contacts);
  Iterate now;
  now.x = x;
  now.forces = search.contacts().forces();
  search.evaluate(now, report.tolerance);
  if (!now.is_admissible) {
    now.x = s.start;
    search.evaluate(now, report.tolerance);
  }
  double previous = 0, forcing = 0.1;
  VecX d;
  for (;;) {
    report.residual = now.residual;
    report.converged = now.is_admissible && now.residual <= report.tolerance && now.law <= 1;
    if (report.converged || !now.is_admissible || report.iterations == options_.max_iterations) break;
    search.remember(now.merit);
    const double size = std::sqrt(now.merit);
    if (report.iterations > 0) {
      const double ratio = size / previous;
      forcing = std::clamp(0.9 * ratio * ratio, 1e-6, 0.1);
    }
    previous = size;
    ++report.iterations;
    double law = 0;
    for (const ActiveContact& a : now.active) law += a.law.residual.squaredNorm();
    const double target =
        std::max(forcing * std::sqrt(now.residual * now.residual + law), 0.3 * report.tolerance);
    const KrylovReport k = search.direction(now, target, d);
    report.linear_iterations += k.iterations;
    now = search.step(now, d, report.tolerance);
    report.evaluations = search.evaluations;
  }
  if (!now.is_admissible)
    report.note = "the residual is not a number";
  else if (!report.converged)
    report.note =
        fmt::format("contact and friction did not settle in {} iterations: law {:.3g} times its tolerance",
                    report.iterations, now.law);
  x = now.x;
  search.contacts().set_forces(now.forces);
  contacts = search.contacts().record();
  return report;
}

SolveReport SemismoothNewton::adjoint(const ContactProblem& p, ConstVec x,
                                      const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w,
                                      MutVec dstart, MutVec theta) const {
  auto& s = p.step.workspace().slot<Scratch>(this);
  p.step.hold({});
  NodeContacts pairs(p);
  pairs.take(contacts);
  std::vector<ActiveContact> active;
  pairs.find_active(x, active);
  const Index n = x.size(), m = static_cast<Index>(active.size());
  s.jacobian.update(p.step, p.step.hessian(x, false), active);
  s.b.setZero(n + 3 * m);
  s.b.head(n) = dx;
  s.solved.setZero(n + 3 * m);
  s.solved.head(n) = w;
  SolveReport report;
  report.tolerance = p.backward.relative_tolerance() * norm(dx);
  const KrylovReport k =
      gmres([&](ConstVec in, MutVec out) { s.jacobian.multiply_transposed(in, out); },
            [&](ConstVec in, MutVec out) { s.jacobian.precondition_transposed(in, out); }, s.b, s.solved,
            true, report.tolerance, options_.max_linear_iterations, options_.restart, s.krylov);
  report.iterations = report.linear_iterations = k.iterations;
  report.residual = k.residual;
  report.converged = k.stop == KrylovReport::Stop::Converged;
  if (k.stop == KrylovReport::Stop::Breakdown) report.note = "GMRES came no nearer to the solution";
  w = s.solved.head(n);
  for (Index c = 0; c < m; ++c)
    pairs.pull(active[static_cast<std::size_t>(c)], x, s.solved.segment<3>(n + 3 * c), dstart, theta);
  return report;
}

}  // namespace resilin

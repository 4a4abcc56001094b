#include "plugins/contact_solvers/contact_iterate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {

void ContactTolerance::visit(ParamVisitor& v) {
  v.real("gap_tolerance", gap,
         {.doc = "how far a node in contact may be from where the law wants it",
          .unit = "m",
          .min = 0,
          .max = 1,
          .open = true});
  v.real("force_tolerance", force,
         {.doc = "how far a contact force may be from what the law wants, relative to the largest one",
          .min = 0,
          .max = 1,
          .open = true});
}

ContactEvaluator::ContactEvaluator(const ContactProblem& problem, const ContactTolerance& tolerance)
    : p_(problem), tolerance_(tolerance), contacts_(problem) {
  p_.step.hold({});
}

void ContactEvaluator::start(ConstVec x, const std::vector<NodeContact>& contacts, ContactIterate& first) {
  admissible_ = x;
  VecX r(x.size());
  start_solve(p_.step, p_.forward.tolerances(), admissible_, r, report);
  first.x = x;
  try {
    contacts_.add_missing(x);
    contacts_.warm_start(contacts);
  } catch (const Error& e) {
    fail(e, first);
    return;
  }
  first.forces = contacts_.forces();
  evaluate(first);
  if (!first.is_admissible) {
    first.x = admissible_;
    evaluate(first);
  }
}

/// No place for a node, or no normal: the caller's policy decides.
void ContactEvaluator::fail(const Error& e, ContactIterate& i) {
  if (e.code() != Errc::Numerics) throw e;
  report.note = e.message();
  i.is_admissible = false;
  i.active.clear();
  i.forces = contacts_.forces();
  i.residual = std::numeric_limits<double>::quiet_NaN();
}

bool ContactEvaluator::is_final(ContactIterate& i) {
  if (!is_solved(i)) return false;
  try {
    if (!contacts_.add_missing(i.x)) {
      crossing_ = contacts_.find_crossing(i.x);
      return true;
    }
  } catch (const Error& e) {
    fail(e, i);
    return false;
  }
  const Index before = i.forces.cols(), now = contacts_.forces().cols();
  i.forces.conservativeResize(3, now);
  i.forces.rightCols(now - before).setZero();
  evaluate(i);
  return false;
}

void ContactEvaluator::evaluate(ContactIterate& i) {
  contacts_.set_forces(i.forces);
  i.is_admissible = false;
  try {
    contacts_.find_active(i.x, i.active);
  } catch (const Error& e) {
    fail(e, i);
    return;
  }
  i.forces = contacts_.forces();
  i.r.resize(i.x.size());
  i.preconditioned.resize(i.x.size());
  const double g = p_.step.residual(i.x, i.r);
  ++report.evaluations;
  contacts_.subtract_forces(i.r);
  i.residual = norm(i.r);
  i.is_admissible = std::isfinite(g) && std::isfinite(i.residual);
  if (!i.is_admissible) return;
  p_.step.precondition(i.r, i.preconditioned);
  i.merit = dot(i.r, i.preconditioned);
  i.law = 0;
  i.law_tolerance = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const ActiveContact& a : i.active) largest = std::max(largest, a.law.trial.norm());
  for (const ActiveContact& a : i.active) {
    i.merit += a.law.residual.squaredNorm() / a.rho;
    const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                            (a.law.trial.norm() + a.rho * i.x.segment<3>(3 * a.nodes.node[0]).norm());
    // Where a node sticks L is a displacement times rho; where it slides, that is its normal part.
    const Vec3 normal = a.law.surface.normal.dot(a.law.residual) * a.law.surface.normal;
    const Vec3 of_place = a.law.response.slides ? normal : a.law.residual;
    const double force = std::min(report.tolerance, tolerance_.force * largest);
    const double place_limit = std::max(a.rho * tolerance_.gap, rounding),
                 force_limit = std::max(force, rounding);
    i.law =
        std::max({i.law, of_place.norm() / place_limit, (a.law.residual - of_place).norm() / force_limit});
    i.law_tolerance =
        std::min(i.law_tolerance, a.law.response.slides ? std::min(place_limit, force_limit) : place_limit);
  }
}

SolveReport ContactEvaluator::finish(const ContactIterate& last, MutVec x,
                                     std::vector<NodeContact>& contacts) {
  report.residual = last.residual;
  report.converged = is_solved(last) && crossing_.empty();
  if (!last.is_admissible && report.note.empty())
    report.note = "the residual is not a number";
  else if (!report.converged && report.note.empty() && last.law > 1)
    report.note =
        fmt::format("contact did not settle: its law is missed by {:.3g} times the tolerance", last.law);
  if (is_solved(last) && !crossing_.empty()) report.note = crossing_;
  x = last.x;
  contacts_.set_forces(last.forces);
  contacts = contacts_.record(last.active);
  return report;
}

}  // namespace resilin

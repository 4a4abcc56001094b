#include "plugins/contact_solvers/contact_adjoint.hpp"

#include "plugins/contact_solvers/bordered_lu.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

struct Scratch {
  ContactJacobian jacobian;
  BorderedLu lu;
  GmresScratch krylov;
  VecX b, solution;
};

}  // namespace

void GmresOptions::visit(ParamVisitor& v) {
  v.integer("max_linear_iterations", max_linear_iterations,
            {.doc = "GMRES iterations of one linear system", .min = 1, .max = 1e9});
  v.integer("restart", restart, {.doc = "GMRES vectors that are kept", .min = 1, .max = 1e5});
  v.integer(
      "max_dense", max_dense,
      {.doc = "contacts up to which their dense matrix preconditions GMRES where its diagonal blocks are "
              "not enough",
       .min = 0,
       .max = 1e5});
  v.choice(
      "adjoint", adjoint, {"gmres", "lu"},
      {.doc = "how the adjoint is solved: by GMRES, or for comparison by a sparse LU factor of the whole "
              "transposed system"});
}

namespace {

/// J or its transpose, and a measure of residuals that counts the rows of the law `weight` times.
struct Bordered {
  const ContactJacobian& jacobian;
  bool transposed;
  double weight;
  Index law_rows() const { return 3 * jacobian.count(); }
  void multiply(ConstVec in, MutVec out) const {
    transposed ? jacobian.multiply_transposed(in, out) : jacobian.multiply(in, out);
  }
  void precondition(ConstVec in, MutVec out) const {
    transposed ? jacobian.precondition_transposed(in, out) : jacobian.precondition(in, out);
  }
  /// r = b - J s; returns its size.
  double residual(ConstVec b, ConstVec s, VecX& r) const {
    if (s.isZero(0)) {
      r = b;
    } else {
      multiply(s, r);
      r = b - r;
    }
    const Index rows = law_rows(), n = b.size() - rows;
    return std::hypot(norm(r.head(n)), weight * norm(r.tail(rows)));
  }
};

KrylovReport solve_all_rows(const Bordered& j, const GmresOptions& options, ConstVec b, double tolerance,
                            Index limit, MutVec s, GmresScratch& scratch) {
  const Index rows = j.law_rows();
  VecX scaled = b, rhs(b.size());
  scaled.tail(rows) *= j.weight;
  const auto product = [&](ConstVec in, MutVec out) {
    j.multiply(in, out);
    out.tail(rows) *= j.weight;
  };
  const auto precondition = [&](ConstVec in, MutVec out) {
    rhs = in;
    rhs.tail(rows) /= j.weight;
    j.precondition(rhs, out);
  };
  return gmres(product, precondition, scaled, s, true, tolerance, limit, options.restart, scratch);
}

/// The same where the preconditioner keeps the rows of the law: it satisfies them at once, and GMRES has
/// those of H left, half as many. What rounding leaves of the law is solved for again.
KrylovReport solve_head(const Bordered& j, const GmresOptions& options, ConstVec b, double tolerance,
                        Index limit, MutVec s, GmresScratch& scratch) {
  constexpr int kPasses = 4;
  constexpr double kShare = 0.95;  // of the tolerance, that the rows of H may take
  const Index rows = j.law_rows(), n = b.size() - rows;
  VecX r(b.size()), in(b.size()), ds(b.size()), y(n);
  KrylovReport report;
  report.residual = j.residual(b, s, r);
  for (int pass = 0; report.residual > tolerance && pass < kPasses && report.iterations < limit; ++pass) {
    j.precondition(r, ds);
    s += ds;
    ++report.iterations;
    j.jacobian.multiply_head(j.transposed, ds, y);
    const VecX left = r.head(n) - y;
    in.tail(rows).setZero();
    const auto product = [&](ConstVec v, MutVec out) {
      in.head(n) = v;
      j.precondition(in, ds);
      j.jacobian.multiply_head(j.transposed, ds, out);
    };
    const KrylovReport k = gmres(
        product, [](ConstVec v, MutVec out) { out = v; }, left, y, false, kShare * tolerance,
        limit - report.iterations, options.restart, scratch);
    // Its last product was that of y, to check the residual: ds is P y.
    if (k.iterations > 0) s += ds;
    report.iterations += k.iterations;
    report.residual = j.residual(b, s, r);
    report.stop = k.stop == KrylovReport::Stop::Converged ? KrylovReport::Stop::IterationLimit : k.stop;
    if (k.stop != KrylovReport::Stop::Converged) break;
  }
  if (report.residual <= tolerance) report.stop = KrylovReport::Stop::Converged;
  return report;
}

}  // namespace

KrylovReport solve_bordered(ContactJacobian& jacobian, bool transposed, const GmresOptions& options,
                            const VecX& b, double tolerance, double law_weight, MutVec s,
                            GmresScratch& scratch) {
  constexpr double kFew = 15;  // iterations
  const Bordered j{jacobian, transposed, law_weight};
  const bool may_factorize = jacobian.count() > 0 && jacobian.count() <= options.max_dense;
  const double worth = jacobian.worth_of_factor();
  KrylovReport report;
  if (!may_factorize || worth >= kFew) {
    const double most = static_cast<double>(options.max_linear_iterations);
    const auto limit = static_cast<Index>(may_factorize ? std::min(worth, most) : most);
    const auto solve = jacobian.keeps_law() ? solve_head : solve_all_rows;
    report = solve(j, options, b, tolerance, limit, s, scratch);
    if (!may_factorize || report.stop == KrylovReport::Stop::Converged) return report;
  }
  jacobian.factorize();
  const Index before = report.iterations;
  report = solve_all_rows(j, options, b, tolerance, options.max_linear_iterations, s, scratch);
  report.iterations += before;
  return report;
}

SolveReport solve_contact_adjoint(const ContactProblem& p, const GmresOptions& options, ConstVec x,
                                  const std::vector<NodeContact>& contacts, ConstVec dx, MutVec w,
                                  ContactCotangent cotangent) {
  auto& s = p.step.workspace().slot<Scratch>(&p.system);
  p.step.hold({});
  ContactSet set(p);
  set.take(contacts);
  std::vector<ActiveContact> active;
  set.find_active(x, active);
  const Index n = x.size(), m = static_cast<Index>(active.size());
  s.jacobian.update(p.step, p.step.hessian(x, false), active);
  s.b.setZero(n + 3 * m);
  s.b.head(n) = dx;
  s.solution.setZero(n + 3 * m);
  s.solution.head(n) = w;
  SolveReport report;
  report.tolerance = p.backward.relative_tolerance() * norm(dx);
  if (options.adjoint == "lu") {
    report.iterations = 1;
    if (!s.lu.solve(p.step.hessian(x, false), p.step.fixed(), active, s.b, s.solution)) {
      report.note = "the adjoint of the step is singular";
      report.residual = norm(s.b);
      w.setZero();  // not what another step has left there
      return report;
    }
    VecX left(s.b.size());
    s.jacobian.multiply_transposed(s.solution, left);
    report.residual = norm(s.b - left);
    report.converged = report.residual <= report.tolerance;
  } else {
    const KrylovReport k =
        solve_bordered(s.jacobian, true, options, s.b, report.tolerance, 1, s.solution, s.krylov);
    report.iterations = report.linear_iterations = k.iterations;
    report.residual = k.residual;
    report.converged = k.stop == KrylovReport::Stop::Converged;
    if (k.stop == KrylovReport::Stop::Breakdown) report.note = "GMRES came no nearer to the solution";
  }
  w = s.solution.head(n);
  for (Index c = 0; c < m; ++c)
    set.pull(active[static_cast<std::size_t>(c)], x, s.solution.segment<3>(n + 3 * c), w, cotangent);
  return report;
}

}  // namespace resilin

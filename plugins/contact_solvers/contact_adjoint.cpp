#include "plugins/contact_solvers/contact_adjoint.hpp"

#include "plugins/contact_solvers/bordered_lu.hpp"

#include <algorithm>

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

KrylovReport solve_bordered(ContactJacobian& jacobian, bool transposed, const GmresOptions& options,
                            const VecX& b, double tolerance, double law_weight, MutVec s,
                            GmresScratch& scratch) {
  constexpr double kFew = 15;  // iterations
  const Index rows = 3 * jacobian.count();
  VecX scaled = b;
  scaled.tail(rows) *= law_weight;
  const auto product = [&](ConstVec in, MutVec out) {
    transposed ? jacobian.multiply_transposed(in, out) : jacobian.multiply(in, out);
    out.tail(rows) *= law_weight;
  };
  VecX rhs(b.size());
  const auto precondition = [&](ConstVec in, MutVec out) {
    rhs = in;
    rhs.tail(rows) /= law_weight;
    transposed ? jacobian.precondition_transposed(rhs, out) : jacobian.precondition(rhs, out);
  };
  const bool may_factorize = jacobian.count() > 0 && jacobian.count() <= options.max_dense;
  const double worth = jacobian.worth_of_factor();
  KrylovReport report;
  if (!may_factorize || worth >= kFew) {
    const double most = static_cast<double>(options.max_linear_iterations);
    const auto limit = static_cast<Index>(may_factorize ? std::min(worth, most) : most);
    report = gmres(product, precondition, scaled, s, true, tolerance, limit, options.restart, scratch);
    if (!may_factorize || report.stop == KrylovReport::Stop::Converged) return report;
  }
  jacobian.factorize();
  const Index before = report.iterations;
  report = gmres(product, precondition, scaled, s, true, tolerance, options.max_linear_iterations,
                 options.restart, scratch);
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

#include "core/solve/step_problem.hpp"

#include "core/base/parallel.hpp"
#include "core/solve/axis_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace resilin {

Factorization::~Factorization() = default;

double dot(ConstVec a, ConstVec b) {
  return parallel_sum(a.size(), 1 << 14,
                      [&](Index i, Index j) { return a.segment(i, j - i).dot(b.segment(i, j - i)); });
}
double norm(ConstVec a) {
  return std::sqrt(dot(a, a));
}

/// Caches of one system, shared by all of its steps.
struct StepProblem::Cache {
  BlockMatrix hessian;
  VecX inertia3;                   ///< a (1 + alpha / sqrt(a)) m [kg/s^2], 3n
  std::vector<double> stiffening;  ///< 1 + beta sqrt(a) of each body
  bool is_damped = false;          ///< one of these is not 1
  double mass_inertia = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t mass_revision = 0;
  // The elastic part of A.
  Triplets form;
  VecX form_diagonal;        ///< n
  double elastic_scale = 0;  ///< X^T A_E X of the rest shape X: sum of V w |F|^2 at rest [J]
  std::uint64_t form_revision = 0;
  double form_inertia = std::numeric_limits<double>::quiet_NaN();
  bool form_is_damped = false;  ///< it holds for form_inertia only
  // Its factor.
  std::vector<std::array<Index, 2>> pattern;  ///< rows and columns of the form that the groups were made for
  std::vector<char> fixed;
  std::vector<AxisGroup> groups;
  std::uint64_t group_revision = 0;
  double group_inertia = std::numeric_limits<double>::quiet_NaN();
  // Nodes held besides the pins.
  std::vector<Index> held;
  std::vector<char> held_fixed;  ///< pins and held nodes, 3n
};

StepProblem::StepProblem(const System& system, const LinearSolver& linear, const StepContext& context,
                         double inertia, ConstVec y, const VecX& previous, Workspace& ws, const VecX* load)
    : system_(system),
      linear_(linear),
      context_(context),
      inertia_(inertia),
      y_(y),
      previous_(previous),
      load_(load),
      fixed_(&system.fixed(context.time)),
      ws_(ws),
      cache_(ws.slot<Cache>(&system)) {
  context_.start = &previous_;
  Cache& c = cache_;
  c.held.clear();
  if (c.mass_revision == system.revision() && c.mass_inertia == inertia) return;
  c.mass_revision = system.revision();
  c.mass_inertia = inertia;
  c.inertia3 = inertia * system.mass().transpose().replicate(3, 1).reshaped();
  c.stiffening.clear();
  c.is_damped = false;
  for (const auto& body : system.bodies()) {
    const DampingOptions& damping = body->options.damping;
    const bool moves = inertia > 0;
    c.stiffening.push_back(moves ? 1 + damping.stiffness * std::sqrt(inertia) : 1);
    c.is_damped = c.is_damped || c.stiffening.back() != 1;
    if (moves && damping.mass > 0)
      c.inertia3.segment(3 * body->first_node, 3 * body->mesh.num_vertices()) *=
          1 + damping.mass / std::sqrt(inertia);
  }
}

double StepProblem::value(ConstVec x) const {
  const VecX& m = cache_.inertia3;
  double e =
      0.5 * parallel_sum(x.size(), 1 << 14, [&](Index i, Index j) {
        return (m.segment(i, j - i).array() * (x.segment(i, j - i) - y_.segment(i, j - i)).array().square())
            .sum();
      });
  if (load_ != nullptr) e -= dot(*load_, x);
  for (std::size_t k = 0; k < system_.energies().size(); ++k)
    e += (k < cache_.stiffening.size() ? cache_.stiffening[k] : 1) *
         system_.energies()[k]->value(context_, x, ws_);
  return e;
}

/// Gradients of the bodies' own energies, with their stiffness damping. r is zero on entry.
double StepProblem::add_body_gradients(ConstVec x, MutVec r) const {
  double e = 0;
  for (std::size_t b = 0; b < system_.bodies().size(); ++b) {
    const Body& body = *system_.bodies()[b];
    const double factor = cache_.stiffening[b];
    e += factor * system_.energies()[b]->add_gradient(context_, x, r, ws_);
    if (factor != 1) r.segment(3 * body.first_node, 3 * body.mesh.num_vertices()) *= factor;
  }
  return e;
}

double StepProblem::residual(ConstVec x, MutVec r) const {
  r.setZero();
  double e = add_body_gradients(x, r);
  for (std::size_t k = system_.bodies().size(); k < system_.energies().size(); ++k)
    e += system_.energies()[k]->add_gradient(context_, x, r, ws_);
  const VecX& m = cache_.inertia3;
  e += 0.5 * parallel_sum(x.size(), 1 << 14, [&](Index i, Index j) {
         const auto d = x.segment(i, j - i) - y_.segment(i, j - i);
         r.segment(i, j - i) += m.segment(i, j - i).cwiseProduct(d);
         return (m.segment(i, j - i).array() * d.array().square()).sum();
       });
  if (load_ != nullptr) {
    r -= *load_;
    e -= dot(*load_, x);
  }
  for (Index i = 0; i < x.size(); ++i)
    if (fixed()[static_cast<std::size_t>(i)]) r[i] = 0;
  return e;
}

/// The same for Hessians. h is zero on entry.
void StepProblem::add_body_hessians(ConstVec x, BlockMatrix& h, bool project_psd) const {
  for (std::size_t b = 0; b < system_.bodies().size(); ++b)
    system_.energies()[b]->add_hessian(context_, x, h, project_psd, ws_);
  if (!cache_.is_damped) return;
  for (std::size_t b = 0; b < system_.bodies().size(); ++b) {
    const Body& body = *system_.bodies()[b];
    const Index last = body.first_node + body.mesh.num_vertices() - 1;
    const Index first_slot = h.row_begin(body.first_node), end_slot = h.row_end(last);
    for (double* v = h.block(first_slot); v != h.block(end_slot); ++v) *v *= cache_.stiffening[b];
  }
}

const BlockMatrix& StepProblem::hessian(ConstVec x, bool project_psd) const {
  BlockMatrix& h = cache_.hessian;
  project_psd = project_psd || always_project_;
  if (h.empty()) {
    BlockPattern pattern(system_.num_nodes());
    for (const auto& energy : system_.energies()) energy->add_pattern(pattern);
    h.reset(std::move(pattern));
  }
  h.set_zero_lazily();
  add_body_hessians(x, h, project_psd);
  h.begin_sum(false);
  for (std::size_t k = system_.bodies().size(); k < system_.energies().size(); ++k)
    system_.energies()[k]->add_hessian(context_, x, h, project_psd, ws_);
  for (Index i = 0; i < system_.num_nodes(); ++i) {
    double* d = h.block(h.slot(i, i));
    for (const int k : {0, 4, 8}) d[k] += (1 + shift_) * cache_.inertia3[3 * i];
  }
  return h;
}

namespace {

/// X^T A_E X over the rest shapes, from differences of positions: it does not depend on where a body is.
double elastic_scale(const System& system, const Triplets& form) {
  Mat3X rest(3, system.num_nodes());
  for (const auto& body : system.bodies())
    rest.middleCols(body->first_node, body->mesh.num_vertices()) = body->rest().vertices;
  double sum = 0;
  for (const auto& t : form) sum -= 0.5 * t.value() * (rest.col(t.row()) - rest.col(t.col())).squaredNorm();
  return sum;
}

bool has_pattern(const Triplets& form, const std::vector<std::array<Index, 2>>& pattern) {
  if (form.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i].row() != pattern[i][0] || form[i].col() != pattern[i][1]) return false;
  return true;
}

}  // namespace

void StepProblem::prepare_form() const {
  Cache& c = cache_;
  if (c.form_revision == system_.revision() &&
      (c.form_inertia == inertia_ || !(c.form_is_damped || c.is_damped)))
    return;
  c.form_revision = 0;  // nothing usable while this may throw
  c.form.clear();
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const std::size_t first = c.form.size();
    system_.energies()[k]->add_quadratic_form(c.form);
    const double factor = k < c.stiffening.size() ? c.stiffening[k] : 1;
    for (std::size_t t = first; factor != 1 && t < c.form.size(); ++t)
      c.form[t] = {c.form[t].row(), c.form[t].col(), factor * c.form[t].value()};
  }
  c.elastic_scale = elastic_scale(system_, c.form);
  c.form_diagonal.setZero(system_.num_nodes());
  for (const auto& t : c.form)
    if (t.row() == t.col()) c.form_diagonal[t.row()] += t.value();
  c.form_revision = system_.revision();
  c.form_inertia = inertia_;
  c.form_is_damped = c.is_damped;
}

void StepProblem::prepare_groups() const {
  Cache& c = cache_;
  const std::vector<char>& fixed = system_.fixed(context_.time);
  if (c.group_revision == system_.revision() && c.group_inertia == inertia_ && c.fixed == fixed) return;
  c.group_revision = 0;
  prepare_form();
  if (c.fixed != fixed || !has_pattern(c.form, c.pattern)) {
    c.groups = make_groups(system_.num_nodes(), fixed, c.form);
    c.fixed = fixed;
    c.pattern.clear();
    for (const auto& t : c.form) c.pattern.push_back({t.row(), t.col()});
  }
  for (AxisGroup& g : c.groups) {
    double* values = g.matrix.valuePtr();
    std::fill(values, values + g.matrix.nonZeros(), 0.0);
    for (std::size_t i = 0; i < c.form.size(); ++i)
      if (g.slot[i] >= 0) values[g.slot[i]] += c.form[i].value();
    for (std::size_t i = 0; i < g.node.size(); ++i) values[g.diagonal[i]] += c.inertia3[3 * g.node[i]];
    g.forget();
  }
  c.group_revision = system_.revision();
  c.group_inertia = inertia_;
}

void StepProblem::solve_prefactored(ConstVec b, MutVec out) const {
  solve_groups(b, out, true);
}
void StepProblem::precondition(ConstVec b, MutVec out) const {
  solve_groups(b, out, false);
}

void StepProblem::solve_groups(ConstVec b, MutVec out, bool exactly) const {
  prepare_groups();
  out.setZero();
  for (auto& g : cache_.groups) {
    const Index rows = static_cast<Index>(g.node.size()), width = static_cast<Index>(g.axes.size());
    const auto for_entries = [&](auto&& visit) {
      parallel_for(rows, 1 << 11, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
          for (Index k = 0; k < width; ++k)
            visit(i, k, 3 * g.node[static_cast<std::size_t>(i)] + g.axes[static_cast<std::size_t>(k)]);
      });
    };
    g.hold(cache_.held, hold_by_, exactly, linear_);
    for_entries([&](Index i, Index k, Index dof) { g.b(i, k) = b[dof]; });
    g.solve(exactly);
    for_entries([&](Index i, Index k, Index dof) { out[dof] = g.x(i, k); });
  }
  for (const Index i : cache_.held) out.segment<3>(3 * i).setZero();
}

void StepProblem::hold(const std::vector<Index>& nodes, HoldBy by) {
  Cache& c = cache_;
  hold_by_ = by;
  c.held = nodes;
  fixed_ = &system_.fixed(context_.time);
  if (nodes.empty()) return;
  c.held_fixed = *fixed_;
  for (const Index i : nodes)
    for (Index k = 0; k < 3; ++k) c.held_fixed[static_cast<std::size_t>(3 * i + k)] = 1;
  fixed_ = &c.held_fixed;
}

double StepProblem::diagonal(Index node) const {
  prepare_form();
  return cache_.inertia3[3 * node] + cache_.form_diagonal[node];
}

std::array<MatX, 3> StepProblem::compliance(const std::vector<Index>& nodes) const {
  prepare_groups();
  std::array<MatX, 3> result;
  for (AxisGroup& g : cache_.groups) {
    const MatX s = g.compliance(nodes, linear_);
    for (const int axis : g.axes) result[static_cast<std::size_t>(axis)] = s;
  }
  return result;
}

double StepProblem::prefactored_work() const {
  prepare_groups();
  double work = 0;
  for (auto& g : cache_.groups) {
    g.hold(cache_.held, hold_by_, false, linear_);
    work += g.solve_work();
  }
  return work;
}

bool StepProblem::is_refactored() const {
  return std::any_of(cache_.groups.begin(), cache_.groups.end(),
                     [](const AxisGroup& g) { return g.is_refactored(); });
}

double StepProblem::rounding_floor(ConstVec x) const {
  prepare_form();  // the diagonal is all that is asked for: solvers without A do not factorise it
  const VecX &inertia = cache_.inertia3, &form = cache_.form_diagonal;
  const double s = parallel_sum(form.size(), 1 << 12, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const double d = inertia[3 * i] + form[i];
      sum += d * d * x.segment<3>(3 * i).squaredNorm();
    }
    return sum;
  });
  return 4 * std::numeric_limits<double>::epsilon() * std::sqrt(s);
}

double StepProblem::value_rounding() const {
  prepare_form();
  return 2 * std::numeric_limits<double>::epsilon() * cache_.elastic_scale;
}

}  // namespace resilin

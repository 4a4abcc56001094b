#include "core/solve/step_problem.hpp"

#include "core/base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
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
  VecX diagonal;
  double elastic_scale = 0;  ///< X^T A_E X of the rest shape X: sum of V w |F|^2 at rest [J]
  std::uint64_t mass_revision = 0;
  // Prefactored matrix.
  struct AxisGroup {
    std::vector<int> axes;    ///< coordinates that share a set of free nodes
    std::vector<Index> node;  ///< node of each row
    std::unique_ptr<Factorization> factor;
    MatX b, x;
    std::vector<int> outer, inner;  ///< pattern that the factor was analysed for
  };
  std::vector<AxisGroup> groups;
  std::uint64_t factor_revision = 0;
  double factor_inertia = std::numeric_limits<double>::quiet_NaN();
  std::size_t factor_phase = 0;
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
      fixed_(system.fixed(context.time)),
      ws_(ws),
      cache_(ws.slot<Cache>(&system)) {
  Cache& c = cache_;
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
    if (fixed_[static_cast<std::size_t>(i)]) r[i] = 0;
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
  if (h.empty()) {
    BlockPattern pattern(system_.num_nodes());
    for (const auto& energy : system_.energies()) energy->add_pattern(pattern);
    h.reset(std::move(pattern));
  }
  h.set_zero();
  add_body_hessians(x, h, project_psd);
  for (std::size_t k = system_.bodies().size(); k < system_.energies().size(); ++k)
    system_.energies()[k]->add_hessian(context_, x, h, project_psd, ws_);
  for (Index i = 0; i < system_.num_nodes(); ++i) {
    double* d = h.block(h.slot(i, i));
    for (const int k : {0, 4, 8}) d[k] += cache_.inertia3[3 * i];
  }
  return h;
}

namespace {

/// X^T A_E X over the rest shapes, from differences of positions: it does not depend on where a body is.
double elastic_scale(const System& system, const Triplets& form) {
  Mat3X rest(3, system.num_nodes());
  for (const auto& body : system.bodies())
    rest.middleCols(body->first_node, body->mesh.num_vertices()) = body->mesh.vertices;
  double sum = 0;
  for (const auto& t : form) sum -= 0.5 * t.value() * (rest.col(t.row()) - rest.col(t.col())).squaredNorm();
  return sum;
}

}  // namespace

void StepProblem::prepare_factor() const {
  Cache& c = cache_;
  const std::size_t phase = system_.phase(context_.time);
  if (c.factor_revision == system_.revision() && c.factor_inertia == inertia_ && c.factor_phase == phase)
    return;
  c.factor_revision = 0;  // nothing usable while this may throw
  const Index n = system_.num_nodes();
  Triplets triplets;
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const std::size_t first = triplets.size();
    system_.energies()[k]->add_quadratic_form(triplets);
    const double factor = k < c.stiffening.size() ? c.stiffening[k] : 1;
    for (std::size_t t = first; factor != 1 && t < triplets.size(); ++t)
      triplets[t] = {triplets[t].row(), triplets[t].col(), factor * triplets[t].value()};
  }
  c.elastic_scale = elastic_scale(system_, triplets);
  for (Index i = 0; i < n; ++i) triplets.emplace_back(i, i, c.inertia3[3 * i]);
  SpMat a(n, n);
  a.setFromTriplets(triplets.begin(), triplets.end());
  c.diagonal = VecX(a.diagonal()).transpose().replicate(3, 1).reshaped();

  const auto& fixed = fixed_;
  std::vector<Cache::AxisGroup> groups;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Index> node;
    for (Index i = 0; i < n; ++i)
      if (!fixed[static_cast<std::size_t>(3 * i + axis)]) node.push_back(i);
    bool found = false;
    for (auto& g : groups)
      if (g.node == node) {
        g.axes.push_back(axis);
        found = true;
        break;
      }
    if (!found) groups.push_back({{axis}, std::move(node), nullptr, {}, {}, {}, {}});
  }
  for (std::size_t k = 0; k < groups.size(); ++k) {
    auto& g = groups[k];
    std::vector<Index> row(static_cast<std::size_t>(n), -1);
    for (std::size_t i = 0; i < g.node.size(); ++i)
      row[static_cast<std::size_t>(g.node[i])] = static_cast<Index>(i);
    Triplets kept;
    for (Index col = 0; col < n; ++col)
      for (SpMat::InnerIterator it(a, col); it; ++it)
        if (row[static_cast<std::size_t>(it.row())] >= 0 && row[static_cast<std::size_t>(col)] >= 0)
          kept.emplace_back(row[static_cast<std::size_t>(it.row())], row[static_cast<std::size_t>(col)],
                            it.value());
    const Index rows = static_cast<Index>(g.node.size());
    if (rows == 0) continue;
    SpMat free(rows, rows);
    free.setFromTriplets(kept.begin(), kept.end());
    // The ordering is kept while pins and pattern stay the same: only parameters or the step size changed.
    g.outer.assign(free.outerIndexPtr(), free.outerIndexPtr() + rows + 1);
    g.inner.assign(free.innerIndexPtr(), free.innerIndexPtr() + free.nonZeros());
    if (k < c.groups.size() && c.groups[k].node == g.node && c.groups[k].outer == g.outer &&
        c.groups[k].inner == g.inner && c.groups[k].factor)
      g.factor = std::move(c.groups[k].factor);
    else
      g.factor = linear_.analyze(free);
    if (g.factor->factorize(free, true) != Factorization::Result::PositiveDefinite)
      throw Error(
          Errc::Numerics,
          "the matrix of Projective Dynamics is not positive definite: a body without mass or without pins "
          "in a static problem, or a material with negative stiffness");
    g.b.resize(rows, static_cast<Index>(g.axes.size()));
    g.x.resize(rows, static_cast<Index>(g.axes.size()));
  }
  c.groups = std::move(groups);
  c.factor_revision = system_.revision();
  c.factor_inertia = inertia_;
  c.factor_phase = phase;
}

void StepProblem::solve_prefactored(ConstVec b, MutVec out) const {
  prepare_factor();
  out.setZero();
  for (auto& g : cache_.groups) {
    const Index rows = static_cast<Index>(g.node.size());
    if (rows == 0) continue;
    for (Index k = 0; k < g.b.cols(); ++k) {
      const int axis = g.axes[static_cast<std::size_t>(k)];
      for (Index i = 0; i < rows; ++i) g.b(i, k) = b[3 * g.node[static_cast<std::size_t>(i)] + axis];
    }
    g.factor->solve(g.b, g.x);
    for (Index k = 0; k < g.b.cols(); ++k) {
      const int axis = g.axes[static_cast<std::size_t>(k)];
      for (Index i = 0; i < rows; ++i) out[3 * g.node[static_cast<std::size_t>(i)] + axis] = g.x(i, k);
    }
  }
}

double StepProblem::rounding_floor(ConstVec x) const {
  prepare_factor();
  const VecX& d = cache_.diagonal;
  const double s = parallel_sum(x.size(), 1 << 14, [&](Index i, Index j) {
    return d.segment(i, j - i).cwiseProduct(x.segment(i, j - i)).squaredNorm();
  });
  return 4 * std::numeric_limits<double>::epsilon() * std::sqrt(s);
}

double StepProblem::value_rounding() const {
  prepare_factor();
  return 2 * std::numeric_limits<double>::epsilon() * cache_.elastic_scale;
}

const SpMat& FreeMatrix::update(const BlockMatrix& h, const std::vector<char>& fixed) {
  if (source_pattern_ != h.pattern_id() || fixed_ != fixed) {
    static std::atomic<std::uint64_t> counter{0};
    id_ = ++counter;
    source_pattern_ = h.pattern_id();
    fixed_ = fixed;
    dof_.clear();
    const Index n = h.num_nodes();
    std::vector<Index> index(static_cast<std::size_t>(3 * n), -1);
    for (Index i = 0; i < 3 * n; ++i)
      if (!fixed[static_cast<std::size_t>(i)]) {
        index[static_cast<std::size_t>(i)] = static_cast<Index>(dof_.size());
        dof_.push_back(i);
      }
    // Column by column (the matrix is symmetric: column i of H is its row i); rows come sorted.
    std::vector<int> inner, outer{0};
    source_.clear();
    for (const Index dof : dof_) {
      const Index node = dof / 3, k = dof % 3;
      for (Index s = h.row_begin(node); s < h.row_end(node); ++s)
        for (Index a = 0; a < 3; ++a) {
          const Index row = index[static_cast<std::size_t>(3 * h.column(s) + a)];
          if (row < 0) continue;
          inner.push_back(static_cast<int>(row));
          source_.push_back(9 * s + 3 * a + k);  // entry (k, a) of block (node, column)
        }
      outer.push_back(static_cast<int>(inner.size()));
    }
    matrix_ = Eigen::Map<const SpMat>(size(), size(), static_cast<Index>(inner.size()), outer.data(),
                                      inner.data(), std::vector<double>(inner.size(), 0.0).data());
  }
  const double* values = h.block(0);
  double* out = matrix_.valuePtr();
  for (std::size_t i = 0; i < source_.size(); ++i) out[i] = values[source_[i]];
  return matrix_;
}

void FreeMatrix::gather(ConstVec full, MutVec free) const {
  for (std::size_t i = 0; i < dof_.size(); ++i) free[static_cast<Index>(i)] = full[dof_[i]];
}
void FreeMatrix::scatter(ConstVec free, MutVec full) const {
  full.setZero();
  for (std::size_t i = 0; i < dof_.size(); ++i) full[dof_[i]] = free[static_cast<Index>(i)];
}

}  // namespace resilin

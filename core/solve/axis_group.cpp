#include "core/solve/axis_group.hpp"

#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>

namespace resilin {
namespace {

// Columns of the inverse are kept as long as the matrix, and contact brings back nodes that it has held
// before: a set of them has to bear this share of what its columns cost.
constexpr double kShareOfColumns = 0.1;
// Solves with one set of held nodes, the iterations of a Newton-Krylov method.
constexpr double kSolvesPerSet = 20;

void factorize(Factorization& factor, const SpMat& matrix) {
  if (factor.factorize(matrix, true) != Factorization::Result::PositiveDefinite)
    throw Error(
        Errc::Numerics,
        "the matrix of Projective Dynamics is not positive definite: a body without mass or without pins "
        "in a static problem, or a material with negative stiffness");
}

/// Place of entry (row, column) among the values of a compressed matrix that has it.
Index value_slot(const SpMat& a, Index row, Index column) {
  const int* begin = a.innerIndexPtr() + a.outerIndexPtr()[column];
  const int* end = a.innerIndexPtr() + a.outerIndexPtr()[column + 1];
  return std::lower_bound(begin, end, static_cast<int>(row)) - a.innerIndexPtr();
}

/// Axes with the same free nodes share a group; axes without any have none.
std::vector<AxisGroup> group_axes(Index num_nodes, const std::vector<char>& fixed) {
  std::vector<AxisGroup> groups;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Index> node;
    for (Index i = 0; i < num_nodes; ++i)
      if (!fixed[static_cast<std::size_t>(3 * i + axis)]) node.push_back(i);
    if (node.empty()) continue;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const AxisGroup& g) { return g.node == node; });
    if (same != groups.end()) {
      same->axes.push_back(axis);
    } else {
      groups.emplace_back();
      groups.back().axes = {axis};
      groups.back().node = std::move(node);
    }
  }
  return groups;
}

}  // namespace

MatX HeldColumns::between(const std::vector<Index>& at) const {
  const auto size = static_cast<Index>(at.size());
  MatX s(size, size);
  for (Index i = 0; i < size; ++i) {
    const Index c = column[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])];
    for (Index j = 0; j < size; ++j) s(j, i) = values(at[static_cast<std::size_t>(j)], c);
  }
  return s;
}

void AxisGroup::forget() {
  is_factored_ = is_emptied_factored_ = is_decided_ = false;
  for (HeldColumns& h : columns_) {
    h.column.assign(node.size(), -1);
    h.count = 0;
    h.rows.clear();
  }
}

void AxisGroup::need_factor(const LinearSolver& linear) {
  if (is_factored_) return;
  if (!factor_) factor_ = linear.analyze(matrix);
  factorize(*factor_, matrix);
  is_factored_ = true;
}

void AxisGroup::need_emptied_factor(const LinearSolver& linear) {
  if (is_emptied_factored_) return;
  emptied_ = matrix;
  std::vector<char> is_empty(node.size(), 0);
  for (const Index r : rows_) is_empty[static_cast<std::size_t>(r)] = 1;
  for (Index c = 0; c < emptied_.cols(); ++c)
    for (SpMat::InnerIterator it(emptied_, c); it; ++it)
      if (it.row() != c &&
          (is_empty[static_cast<std::size_t>(c)] || is_empty[static_cast<std::size_t>(it.row())]))
        it.valueRef() = 0;
  if (!emptied_factor_) emptied_factor_ = linear.analyze(matrix);
  factorize(*emptied_factor_, emptied_);
  is_emptied_factored_ = true;
}

/// Fills in the columns of A^-1 that are missing, as many at a time as there are axes.
void AxisGroup::need_columns(const std::vector<Index>& rows, bool exactly) {
  HeldColumns& h = columns_[exactly];
  std::vector<Index> missing;
  for (const Index r : rows)
    if (h.column[static_cast<std::size_t>(r)] < 0) missing.push_back(r);
  const Index total = h.count + static_cast<Index>(missing.size()), width = b.cols();
  if (missing.empty()) return;
  if (h.values.cols() < total)
    h.values.conservativeResize(b.rows(), std::min(b.rows(), std::max(total, 2 * h.values.cols())));
  for (std::size_t first = 0; first < missing.size(); first += static_cast<std::size_t>(width)) {
    b.setZero();
    const auto end = std::min(missing.size(), first + static_cast<std::size_t>(width));
    for (std::size_t k = first; k < end; ++k) b(missing[k], static_cast<Index>(k - first)) = 1;
    apply(*factor_, b, x, exactly);
    for (std::size_t k = first; k < end; ++k) {
      h.column[static_cast<std::size_t>(missing[k])] = h.count;
      h.values.col(h.count++) = x.col(static_cast<Index>(k - first));
    }
  }
}

void AxisGroup::need_schur(bool exactly) {
  HeldColumns& h = columns_[exactly];
  if (h.rows == rows_) return;
  need_columns(rows_, exactly);
  h.rows.clear();
  h.schur.compute(h.between(rows_));
  if (h.schur.info() != Eigen::Success)
    throw Error(Errc::Numerics, "the Schur complement of the held nodes is not positive definite");
  h.rows = rows_;
}

/// Of one axis: the columns of the inverse times the forces that hold, or a second solve with them.
double AxisGroup::correction_work() const {
  const auto c = static_cast<double>(rows_.size());
  return 2 * c * c + std::min(2 * static_cast<double>(node.size()) * c, factor_->work().solve);
}

bool AxisGroup::refactoring_pays() const {
  const auto c = static_cast<double>(rows_.size()), width = static_cast<double>(axes.size());
  const Factorization::Work work = factor_->work();
  const double by_schur =
      kShareOfColumns * c * work.solve + c * c * c / 3 + kSolvesPerSet * width * correction_work();
  return work.factorize < by_schur;
}

void AxisGroup::hold(const std::vector<Index>& nodes, HoldBy by, bool exactly, const LinearSolver& linear) {
  if (!is_decided_ || nodes != held_ || by != asked_) {
    held_ = nodes;
    asked_ = by;
    rows_.clear();
    for (const Index n : nodes)
      if (row[static_cast<std::size_t>(n)] >= 0) rows_.push_back(row[static_cast<std::size_t>(n)]);
    if (by == HoldBy::Counted) need_factor(linear);
    is_refactored_ =
        !rows_.empty() && (by == HoldBy::Refactor || (by == HoldBy::Counted && refactoring_pays()));
    is_emptied_factored_ = false;
    is_decided_ = true;
  }
  if (is_refactored_) return need_emptied_factor(linear);
  need_factor(linear);
  need_schur(exactly);
}

MatX AxisGroup::compliance(const std::vector<Index>& nodes, const LinearSolver& linear) {
  std::vector<Index> rows;
  for (const Index n : nodes) rows.push_back(row[static_cast<std::size_t>(n)]);
  need_factor(linear);
  need_columns(rows, false);
  return columns_[false].between(rows);
}

double AxisGroup::solve_work() const {
  const double one = is_refactored_ ? emptied_factor_->work().solve
                                    : factor_->work().solve + (rows_.empty() ? 0 : correction_work());
  return one * static_cast<double>(axes.size());
}

void AxisGroup::solve(bool exactly) {
  if (is_refactored_) {
    for (const Index r : rows_) b.row(r).setZero();
    return apply(*emptied_factor_, b, x, exactly);
  }
  apply(*factor_, b, x, exactly);
  HeldColumns& h = columns_[exactly];
  if (h.rows.empty()) return;
  h.multiplier = -x(h.rows, Eigen::all);
  h.schur.solveInPlace(h.multiplier);
  if (2 * static_cast<double>(node.size() * h.rows.size()) > factor_->work().solve) {
    for (std::size_t k = 0; k < h.rows.size(); ++k)
      b.row(h.rows[k]) += h.multiplier.row(static_cast<Index>(k));
    return apply(*factor_, b, x, exactly);
  }
  parallel_for(x.rows(), 1 << 9, [&](Index begin, Index end) {
    for (std::size_t k = 0; k < h.rows.size(); ++k) {
      const Index c = h.column[static_cast<std::size_t>(h.rows[k])];
      x.middleRows(begin, end - begin).noalias() +=
          h.values.col(c).segment(begin, end - begin) * h.multiplier.row(static_cast<Index>(k));
    }
  });
}

std::vector<AxisGroup> make_groups(Index num_nodes, const std::vector<char>& fixed, const Triplets& form) {
  std::vector<AxisGroup> groups = group_axes(num_nodes, fixed);
  for (AxisGroup& g : groups) {
    const auto rows = static_cast<Index>(g.node.size());
    std::vector<Index>& row = g.row;
    row.assign(static_cast<std::size_t>(num_nodes), -1);
    for (Index i = 0; i < rows; ++i) row[static_cast<std::size_t>(g.node[static_cast<std::size_t>(i)])] = i;
    const auto place = [&](const Eigen::Triplet<double>& t) {
      const Index r = row[static_cast<std::size_t>(t.row())], c = row[static_cast<std::size_t>(t.col())];
      return std::array<Index, 2>{r, c};
    };
    Triplets kept;
    for (const auto& t : form)
      if (const auto [r, c] = place(t); r >= 0 && c >= 0) kept.emplace_back(r, c, 0.0);
    for (Index i = 0; i < rows; ++i) kept.emplace_back(i, i, 0.0);
    g.matrix.resize(rows, rows);
    g.matrix.setFromTriplets(kept.begin(), kept.end());
    g.slot.reserve(form.size());
    for (const auto& t : form) {
      const auto [r, c] = place(t);
      g.slot.push_back(r >= 0 && c >= 0 ? value_slot(g.matrix, r, c) : -1);
    }
    for (Index i = 0; i < rows; ++i) g.diagonal.push_back(value_slot(g.matrix, i, i));
    g.b.resize(rows, static_cast<Index>(g.axes.size()));
    g.x.resize(rows, static_cast<Index>(g.axes.size()));
  }
  return groups;
}

}  // namespace resilin

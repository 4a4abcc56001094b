#include "core/solve/axis_group.hpp"

#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>

namespace resilin {
namespace {

/// Fills in the columns of A^-1 that are missing, as many at a time as there are axes.
void add_columns(AxisGroup& g, const std::vector<Index>& rows, bool exactly) {
  HeldColumns& h = g.held[exactly];
  std::vector<Index> missing;
  for (const Index r : rows)
    if (h.column[static_cast<std::size_t>(r)] < 0) missing.push_back(r);
  const Index total = h.count + static_cast<Index>(missing.size()), width = g.b.cols();
  if (missing.empty()) return;
  if (h.values.cols() < total)
    h.values.conservativeResize(g.b.rows(), std::min(g.b.rows(), std::max(total, 2 * h.values.cols())));
  for (std::size_t first = 0; first < missing.size(); first += static_cast<std::size_t>(width)) {
    g.b.setZero();
    const auto end = std::min(missing.size(), first + static_cast<std::size_t>(width));
    for (std::size_t k = first; k < end; ++k) g.b(missing[k], static_cast<Index>(k - first)) = 1;
    g.solve(g.b, g.x, exactly);
    for (std::size_t k = first; k < end; ++k) {
      h.column[static_cast<std::size_t>(missing[k])] = h.count;
      h.values.col(h.count++) = g.x.col(static_cast<Index>(k - first));
    }
  }
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

void AxisGroup::hold(const std::vector<Index>& nodes, bool exactly) {
  HeldColumns& h = held[exactly];
  std::vector<Index> rows;
  for (const Index n : nodes)
    if (row[static_cast<std::size_t>(n)] >= 0) rows.push_back(row[static_cast<std::size_t>(n)]);
  if (rows == h.rows) return;
  add_columns(*this, rows, exactly);
  h.rows.clear();
  h.schur.compute(h.between(rows));
  if (h.schur.info() != Eigen::Success)
    throw Error(Errc::Numerics, "the Schur complement of the held nodes is not positive definite");
  h.rows = std::move(rows);
}

MatX AxisGroup::compliance(const std::vector<Index>& nodes) {
  std::vector<Index> rows;
  for (const Index n : nodes) rows.push_back(row[static_cast<std::size_t>(n)]);
  add_columns(*this, rows, false);
  return held[false].between(rows);
}

void AxisGroup::correct(bool exactly) {
  HeldColumns& h = held[exactly];
  if (h.rows.empty()) return;
  h.multiplier = -x(h.rows, Eigen::all);
  h.schur.solveInPlace(h.multiplier);
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

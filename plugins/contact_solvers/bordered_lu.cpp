#include "plugins/contact_solvers/bordered_lu.hpp"

#include <algorithm>

namespace resilin {
namespace {

bool have_same_pattern(const SpMat& a, const SpMat& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}  // namespace

void BorderedLu::assemble(const SpMat& h, Index coordinates, const std::vector<ActiveContact>& active) {
  const Index n = h.rows(), rows = n + 3 * static_cast<Index>(active.size());
  // Places of coordinates among the free ones.
  VecX place = VecX::Zero(coordinates), order = VecX::LinSpaced(n, 1, static_cast<double>(n));
  free_.scatter(order, place);
  Triplets t;
  t.reserve(static_cast<std::size_t>(h.nonZeros()) + 45 * active.size());
  for (Index c = 0; c < h.outerSize(); ++c)
    for (SpMat::InnerIterator it(h, c); it; ++it)
      t.emplace_back(static_cast<int>(it.row()), static_cast<int>(c), it.value());
  for (std::size_t k = 0; k < active.size(); ++k) {
    const ActiveContact& a = active[k];
    const int first = static_cast<int>(n + 3 * static_cast<Index>(k));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) t.emplace_back(first + i, first + j, a.rho * a.law.d_force(j, i));
    for (std::size_t node = 0; node < 4 && a.nodes.node[node] >= 0; ++node)
      for (int i = 0; i < 3; ++i) {
        const int at = static_cast<int>(place[3 * a.nodes.node[node] + i]) - 1;
        if (at < 0) continue;
        for (int j = 0; j < 3; ++j)
          t.emplace_back(at, first + j, a.nodes.weight[node] * a.law.d_position(j, i));
        t.emplace_back(first + i, at, -a.rho * a.nodes.weight[node]);
      }
  }
  matrix_.resize(rows, rows);
  matrix_.setFromTriplets(t.begin(), t.end());
  matrix_.makeCompressed();
}

bool BorderedLu::solve(const BlockMatrix& hessian, const std::vector<char>& fixed,
                       const std::vector<ActiveContact>& active, const VecX& b, VecX& s) {
  const SpMat& h = free_.update(hessian, fixed);
  assemble(h, static_cast<Index>(fixed.size()), active);
  if (!have_same_pattern(matrix_, analyzed_)) {
    lu_.analyzePattern(matrix_);
    analyzed_ = matrix_;
  }
  lu_.factorize(matrix_);
  if (lu_.info() != Eigen::Success) return false;
  const Index n = h.rows(), m = matrix_.rows() - n, full = b.size() - m;
  VecX rhs(n + m), part(n);
  free_.gather(b.head(full), part);
  rhs << part, b.tail(m);
  const VecX x = lu_.solve(rhs);
  s.setZero(b.size());
  free_.scatter(x.head(n), s.head(full));
  s.tail(m) = x.tail(m);
  return x.allFinite();
}

}  // namespace resilin

#include "core/solve/step_problem.hpp"

#include <atomic>

namespace resilin {

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

// Symmetric sparse matrices of 3 x 3 blocks over pairs of nodes.
#pragma once

#include "core/base/types.hpp"

#include <cstdint>
#include <vector>

namespace resilin {

/// Collects pairs of nodes; the diagonal is always part of the pattern.
class RESILIN_API BlockPattern {
 public:
  explicit BlockPattern(Index nodes) : rows_(static_cast<std::size_t>(nodes)) {}
  /// All pairs among `count` nodes.
  void add_clique(const int* nodes, Index count);
  void add_pair(Index i, Index j);
  Index num_nodes() const { return static_cast<Index>(rows_.size()); }

 private:
  friend class BlockMatrix;
  std::vector<std::vector<int>> rows_;
};

/// Block compressed rows, both triangles stored. Blocks are column-major 3 x 3.
class RESILIN_API BlockMatrix {
 public:
  BlockMatrix() = default;
  /// Sorts the pattern and takes it over; all values are zero.
  void reset(BlockPattern&& pattern);
  bool empty() const { return row_start_.empty(); }
  Index num_nodes() const { return static_cast<Index>(row_start_.size()) - 1; }
  Index num_blocks() const { return static_cast<Index>(columns_.size()); }
  /// Changes with every reset, never repeats: caches of slots compare it.
  std::uint64_t pattern_id() const { return pattern_id_; }

  void set_zero() { write_zeros(); }
  /// The same, but zeros that nobody reads are never written, a third of the memory traffic of a Hessian.
  /// They are by the next writer, so that this is for matrices that are about to be summed up.
  void set_zero_lazily() { zero_pending_ = true; }
  /// To be called before blocks are written from several threads. True if the matrix counts as zero and the
  /// caller means to write all blocks: they must then be assigned, not added to.
  bool begin_sum(bool writes_all);
  /// Slot of block (i, j); throws Error(Internal) if it is not in the pattern.
  Index slot(Index i, Index j) const;
  double* block(Index slot) {
    if (zero_pending_) write_zeros();
    return values_.data() + 9 * slot;
  }
  /// Not to be called between set_zero_lazily() and the first write.
  const double* block(Index slot) const { return values_.data() + 9 * slot; }
  Index row_begin(Index i) const { return row_start_[static_cast<std::size_t>(i)]; }
  Index row_end(Index i) const { return row_start_[static_cast<std::size_t>(i) + 1]; }
  int column(Index slot) const { return columns_[static_cast<std::size_t>(slot)]; }

  /// Adds a symmetric pair: b at (i, j) and, if i != j, b^T at (j, i).
  void add_symmetric(Index i, Index j, const Mat3& b);
  /// Adds d[i] to the three diagonal entries of node i.
  void add_diagonal(ConstVec d);

  /// y = H x; entries of y with fixed[dof] != 0 become zero. x is expected to be zero there.
  void multiply(ConstVec x, MutVec y, const std::vector<char>& fixed) const;

 private:
  void write_zeros();

  std::vector<Index> row_start_;
  std::vector<int> columns_;
  std::vector<double> values_;  ///< 9 per block and a few more, so that four can be loaded from any entry
  std::uint64_t pattern_id_ = 0;
  bool zero_pending_ = false;  ///< the values count as zero, whatever stands there
};

}  // namespace resilin

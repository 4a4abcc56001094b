#include "core/energy/block_matrix.hpp"

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace resilin {
namespace {

std::uint64_t next_pattern_id() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

using Quad = double __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Quad load4(const double* p) {
  Quad q;
  std::memcpy(&q, p, sizeof q);
  return q;
}

}  // namespace

void BlockPattern::add_pair(Index i, Index j) {
  rows_[static_cast<std::size_t>(i)].push_back(static_cast<int>(j));
  rows_[static_cast<std::size_t>(j)].push_back(static_cast<int>(i));
}

void BlockPattern::add_clique(const int* nodes, Index count) {
  for (Index a = 0; a < count; ++a) {
    auto& row = rows_[static_cast<std::size_t>(nodes[a])];
    row.insert(row.end(), nodes, nodes + count);
  }
}

void BlockMatrix::reset(BlockPattern&& pattern) {
  row_start_.assign(1, 0);
  columns_.clear();
  for (std::size_t i = 0; i < pattern.rows_.size(); ++i) {
    auto& row = pattern.rows_[i];
    row.push_back(static_cast<int>(i));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    columns_.insert(columns_.end(), row.begin(), row.end());
    row_start_.push_back(static_cast<Index>(columns_.size()));
    row = {};
  }
  values_.assign(9 * columns_.size() + 4, 0.0);
  zero_pending_ = false;
  pattern_id_ = next_pattern_id();
}

bool BlockMatrix::begin_sum(bool writes_all) {
  const bool assign = zero_pending_ && writes_all;
  if (zero_pending_ && !assign) write_zeros();
  zero_pending_ = false;
  return assign;
}

void BlockMatrix::write_zeros() {
  zero_pending_ = false;
  parallel_for(static_cast<Index>(values_.size()), 1 << 15, [&](Index begin, Index end) {
    std::fill(values_.begin() + begin, values_.begin() + end, 0.0);
  });
}

Index BlockMatrix::slot(Index i, Index j) const {
  const auto begin = columns_.begin() + row_begin(i), end = columns_.begin() + row_end(i);
  const auto it = std::lower_bound(begin, end, static_cast<int>(j));
  if (it == end || *it != j)
    throw Error(Errc::Internal, "an energy writes a Hessian block of nodes " + std::to_string(i) + " and " +
                                    std::to_string(j) + " that is not in its pattern");
  return it - columns_.begin();
}

void BlockMatrix::add_symmetric(Index i, Index j, const Mat3& b) {
  Eigen::Map<Mat3> upper(block(slot(i, j)));
  upper += b;
  if (i != j) Eigen::Map<Mat3>(block(slot(j, i))) += b.transpose();
}

void BlockMatrix::add_diagonal(ConstVec d) {
  for (Index i = 0; i < num_nodes(); ++i) {
    double* b = block(slot(i, i));
    b[0] += d[i], b[4] += d[i], b[8] += d[i];
  }
}

void BlockMatrix::multiply(ConstVec x, MutVec y, const std::vector<char>& fixed) const {
  const double* xs = x.data();
  double* ys = y.data();
  parallel_for(num_nodes(), 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      // Two sums, so that consecutive blocks do not wait for each other.
      Quad even{0, 0, 0, 0}, odd{0, 0, 0, 0};
      const double* b = block(row_begin(i));
      for (Index k = row_begin(i); k < row_end(i); ++k, b += 9) {
        const double* xj = xs + 3 * static_cast<Index>(columns_[static_cast<std::size_t>(k)]);
        even += load4(b) * xj[0] + load4(b + 6) * xj[2];
        odd += load4(b + 3) * xj[1];
      }
      const Quad r = even + odd;
      for (int a = 0; a < 3; ++a) ys[3 * i + a] = fixed[static_cast<std::size_t>(3 * i + a)] ? 0.0 : r[a];
    }
  });
}

}  // namespace resilin

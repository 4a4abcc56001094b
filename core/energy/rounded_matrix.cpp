#include "core/energy/rounded_matrix.hpp"

#include "core/base/parallel.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

namespace resilin {
namespace {

using Quad = double __attribute__((vector_size(32)));
using SingleQuad = float __attribute__((vector_size(16)));

/// Four entries of a block; a column has three.
[[gnu::always_inline]] inline Quad load4(const float* p) {
  SingleQuad a;
  std::memcpy(&a, p, sizeof a);
  return __builtin_convertvector(a, Quad);
}

}  // namespace

bool RoundedMatrix::take(const BlockMatrix& h) {
  pattern_ = &h;
  values_.resize(static_cast<std::size_t>(9 * h.num_blocks() + 4));
  const double* from = h.block(0);
  std::atomic<bool> fits{true};
  parallel_for(9 * h.num_blocks(), 1 << 15, [&](Index begin, Index end) {
    bool finite = true;
    for (Index i = begin; i < end; ++i) {
      const auto v = static_cast<float>(from[i]);
      finite &= std::isfinite(v);
      values_[static_cast<std::size_t>(i)] = v;
    }
    if (!finite) fits = false;
  });
  return fits;
}

void RoundedMatrix::multiply(ConstVec x, MutVec y, const std::vector<char>& fixed) const {
  const BlockMatrix& h = *pattern_;
  const double* xs = x.data();
  double* ys = y.data();
  parallel_for(h.num_nodes(), 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      // A sum per column of the blocks, so that consecutive products do not wait for each other.
      Quad sum[3] = {};
      const float* b = values_.data() + 9 * h.row_begin(i);
      for (Index k = h.row_begin(i); k < h.row_end(i); ++k, b += 9) {
        const double* xj = xs + 3 * static_cast<Index>(h.column(k));
        for (int c = 0; c < 3; ++c) sum[c] += load4(b + 3 * c) * xj[c];
      }
      const Quad r = sum[0] + sum[1] + sum[2];
      for (int a = 0; a < 3; ++a) ys[3 * i + a] = fixed[static_cast<std::size_t>(3 * i + a)] ? 0.0 : r[a];
    }
  });
}

}  // namespace resilin

#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <omp.h>

namespace resilin {
namespace {

std::atomic<int> g_threads{1};  // NOLINT: the one process-wide setting, as in OpenMP itself

/// Calls chunk(c) for all c in [0, chunks) and rethrows the exception of the lowest chunk that threw.
void run_chunks(Index chunks, FunctionRef<void(Index)> chunk) {
  const int threads = static_cast<int>(std::min<Index>(num_threads(), chunks));
  if (threads <= 1 || omp_in_parallel()) {
    for (Index c = 0; c < chunks; ++c) chunk(c);
    return;
  }
  std::exception_ptr error;
  Index error_chunk = chunks;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index c = 0; c < chunks; ++c) {
    try {
      chunk(c);
    } catch (...) {
#pragma omp critical(resilin_parallel_error)
      if (c < error_chunk) {
        error = std::current_exception();
        error_chunk = c;
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace

void set_num_threads(int threads) {
  g_threads = threads > 0 ? threads : omp_get_num_procs();
}
int num_threads() {
  return g_threads;
}

void parallel_for(Index count, Index grain, FunctionRef<void(Index, Index)> body) {
  if (count <= 0) return;
  const Index chunks = (count + grain - 1) / grain;
  run_chunks(chunks, [&](Index c) { body(c * grain, std::min(count, (c + 1) * grain)); });
}

double parallel_sum(Index count, Index grain, FunctionRef<double(Index, Index)> body) {
  if (count <= 0) return 0;
  // At most kMax partial sums, so that they fit on the stack: larger loops get longer chunks.
  constexpr Index kMax = 1024;
  grain = std::max(grain, (count + kMax - 1) / kMax);
  const Index chunks = (count + grain - 1) / grain;
  std::array<double, kMax> part{};
  run_chunks(chunks, [&](Index c) {
    part[static_cast<std::size_t>(c)] = body(c * grain, std::min(count, (c + 1) * grain));
  });
  double sum = 0;
  for (Index c = 0; c < chunks; ++c) sum += part[static_cast<std::size_t>(c)];
  return sum;
}

}  // namespace resilin

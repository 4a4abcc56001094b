// Nodes that a step holds, in the two ways in which they enter the matrix of Projective Dynamics: a block of
// 20^3 cells (27,783 degrees of freedom) with 5 % of its nodes held, its lower side, and sheets of one layer.
// Two sets of held nodes that differ by a few take turns, as they do from step to step, with twenty solves
// each, an inexact Newton method's.
#include "tests/benchmarks/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace {

using namespace resilin;

constexpr double kInertia = 4e4;  // 1 / (5 ms)^2
constexpr int kSolves = 20;

std::unique_ptr<Simulation> block(int cells, int layers) {
  return bench::simulation(fmt::format(
      "bodies: {{block: {{mesh: {{generator: {{type: box, size: [0.1, 0.1, {}], cells: [{}, {}, {}]}}}}, "
      "materials: [{{type: corotated, E: 2e6}}]}}}}",
      0.1 * layers / cells, cells, cells, layers));
}

/// Two sets of the lowest nodes, ascending, each without another twentieth of them.
std::array<std::vector<Index>, 2> lowest(const VecX& x, double share) {
  std::vector<std::pair<double, Index>> heights;
  for (Index i = 0; i < x.size() / 3; ++i) heights.emplace_back(x[3 * i + 2], i);
  std::stable_sort(heights.begin(), heights.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::array<std::vector<Index>, 2> sets;
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(heights.size()));
  for (std::size_t k = 0; k < wanted; ++k)
    for (std::size_t s = 0; s < 2; ++s)
      if (k % 20 != s) sets[s].push_back(heights[k].second);
  for (auto& set : sets) std::sort(set.begin(), set.end());
  return sets;
}

void held_nodes(benchmark::State& state, int cells, int layers, double share, HoldBy by) {
  set_num_threads(1);
  const auto sim = block(cells, layers);
  const VecX x = sim->system().initial_state().x;
  StepProblem problem(sim->system(), sim->tools().linear, {0.005, 0.005, 0}, kInertia, x, x,
                      sim->workspace());
  const auto sets = lowest(x, share);
  VecX b = VecX::Ones(x.size()), z(x.size());
  // What is kept for as long as the matrix: its analysis, and the columns of its inverse.
  for (const auto& set : sets) {
    problem.hold(set, by);
    problem.precondition(b, z);
  }
  std::size_t turn = 0;
  for (auto _ : state) {
    problem.hold(sets[turn ^= 1], by);
    for (int k = 0; k < kSolves; ++k) problem.precondition(b, z);
  }
  state.counters["nodes"] = static_cast<double>(x.size() / 3);
  state.counters["held"] = static_cast<double>(sets[0].size());
  state.counters["refactored"] = problem.is_refactored() ? 1 : 0;
}

/// For comparison: the rows are taken out of the matrix, and what is left is ordered, analysed and factorised
/// anew.
void anew(benchmark::State& state, int cells, int layers, double share) {
  set_num_threads(1);
  const auto sim = block(cells, layers);
  const VecX x = sim->system().initial_state().x;
  StepProblem problem(sim->system(), sim->tools().linear, {0.005, 0.005, 0}, kInertia, x, x,
                      sim->workspace());
  FreeMatrix all;
  const SpMat& hessian =
      all.update(problem.hessian(x, false), std::vector<char>(static_cast<std::size_t>(x.size()), 0));
  const auto held = lowest(x, share)[0];
  std::vector<Index> row(static_cast<std::size_t>(x.size() / 3), 0);
  for (const Index i : held) row[static_cast<std::size_t>(i)] = -1;
  Index rows = 0;
  for (Index& r : row) r = r < 0 ? -1 : rows++;
  Triplets entries;  // the pattern of A with values of a Laplacian
  for (Index c = 0; c < hessian.cols(); c += 3)
    for (SpMat::InnerIterator it(hessian, c); it; ++it)
      if (const Index i = row[static_cast<std::size_t>(it.row() / 3)],
          j = row[static_cast<std::size_t>(c / 3)];
          it.row() % 3 == 0 && i >= 0 && j >= 0)
        entries.emplace_back(i, j, i == j ? 30.0 : -1.0);
  SpMat a(rows, rows);
  a.setFromTriplets(entries.begin(), entries.end());
  const MatX b = MatX::Ones(rows, 3);
  MatX z(rows, 3);
  for (auto _ : state) {
    const auto factor = sim->tools().linear.analyze(a);
    if (factor->factorize(a, true) != Factorization::Result::PositiveDefinite)
      state.SkipWithError("not positive definite");
    for (int k = 0; k < kSolves; ++k) factor->precondition(b, z);
  }
}
BENCHMARK_CAPTURE(anew, block_5, 20, 20, 0.05)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(anew, sheet_5, 50, 1, 0.05)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(anew, sheet_40, 50, 1, 0.4)->Unit(benchmark::kMillisecond);

#define RESILIN_HELD(name, ...)                                                                           \
  BENCHMARK_CAPTURE(held_nodes, name##_schur, __VA_ARGS__, HoldBy::Schur)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(held_nodes, name##_refactor, __VA_ARGS__, HoldBy::Refactor)                           \
      ->Unit(benchmark::kMillisecond);                                                                    \
  BENCHMARK_CAPTURE(held_nodes, name##_counted, __VA_ARGS__, HoldBy::Counted)->Unit(benchmark::kMillisecond)

RESILIN_HELD(block_1, 20, 20, 0.01);
RESILIN_HELD(block_5, 20, 20, 0.05);
RESILIN_HELD(block_10, 20, 20, 0.1);
RESILIN_HELD(block_25, 20, 20, 0.25);
RESILIN_HELD(sheet_5, 50, 1, 0.05);
RESILIN_HELD(sheet_40, 50, 1, 0.4);

}  // namespace

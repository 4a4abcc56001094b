// The cantilever of DiffPD (8,019 degrees of freedom, 5 steps, one thread): forward and backward solvers side
// by side in one run. Build with -DRESILIN_BENCHMARKS=ON, run build/bin/benchmarks; rows of one run may be
// compared as ratios.
#include "tests/benchmarks/support.hpp"

namespace {

using namespace resilin;

const char* const kScene = R"(
time: {step: 0.01, steps: 5}
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.32, 0.08, 0.08], cells: [32, 8, 8]}}
    density: 1000
    mass: uniform
    materials: [{type: corotated, E: 1e6, nu: 0.45}, {type: volume, E: 1e6, nu: 0.45}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.08, 0.08]}}}]
    initial: {twist: {axis: [1, 0, 0], point: [0, 0.04, 0.04], rate: 4.908738521234052}}
forward: {relative_tolerance: 1e-4}
backward: {relative_tolerance: 1e-4}
)";

void forward(benchmark::State& state, const bench::Overrides& overrides) {
  set_num_threads(1);
  for (auto _ : state) {
    const auto sim = bench::simulation(kScene, overrides);
    Tape tape;
    const RolloutReport report = sim->run(tape, true);
    state.counters["iterations"] = static_cast<double>(report.iterations);
    state.counters["linear"] = static_cast<double>(report.linear_iterations);
  }
}

void backward(benchmark::State& state, const bench::Overrides& overrides) {
  set_num_threads(1);
  const auto sim = bench::simulation(kScene, overrides);
  Tape tape;
  sim->run(tape, true);
  for (auto _ : state) state.counters["linear"] = static_cast<double>(bench::gradient(*sim, tape).iterations);
}

const bench::Overrides kNewtonEigen = {"forward={type: newton, relative_tolerance: 1e-4, reanalyze: true}",
                                       "backward={type: direct, relative_tolerance: 1e-4, reanalyze: true}",
                                       "linear_solver=eigen_ldlt"};
const bench::Overrides kNewtonCholmod = {"forward={type: newton, relative_tolerance: 1e-4}",
                                         "backward={type: direct, relative_tolerance: 1e-4}"};
const bench::Overrides kPd = {"forward={type: pd, relative_tolerance: 1e-4}",
                              "backward={type: pd_fixed_point, relative_tolerance: 1e-4}"};

void both(benchmark::State& state) {
  bench::forward_and_backward(state, kScene);
}

BENCHMARK(both)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forward, defaults, {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forward, newton_eigen_ldlt_anew, kNewtonEigen)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(forward, newton_cholmod, kNewtonCholmod)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(forward, pd, kPd)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(backward, defaults, {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(backward, direct_eigen_ldlt_anew, kNewtonEigen)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(backward, direct_cholmod, kNewtonCholmod)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(backward, pd_fixed_point, kPd)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();

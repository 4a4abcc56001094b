// Ten thousand steps with their gradient within 500 MB, the program and its matrices included; the states
// alone would take 1.3 GB.
#include "tests/benchmarks/support.hpp"

namespace {

using namespace resilin;

const char* const kScene = R"(
time: {step: 0.001, steps: 10000}
bodies:
  bar:
    mesh: {generator: {type: box, size: [0.32, 0.08, 0.08], cells: [32, 8, 8]}}
    density: 1000
    materials: [{type: corotated, E: 1e6, nu: 0.4}, {type: volume, E: 1e6, nu: 0.4}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.08, 0.08]}}}]
forward: {relative_tolerance: 1e-2}
backward: {relative_tolerance: 1e-2}
memory: {budget: 440}
)";

void rollout(benchmark::State& state) {
  set_num_threads(1);
  for (auto _ : state) {
    const auto sim = bench::simulation(kScene);
    const Index last = sim->num_steps();
    RolloutReport report;
    const VecX gradient = sim->run_with_gradient([](Index, const State&, const SolveReport&) { return true; },
                                                 [&](Index frame, const State& s, Adjoint& a) {
                                                   if (frame == last) a.x += s.x;
                                                 },
                                                 report);
    state.counters["dofs"] = static_cast<double>(sim->system().num_dofs());
    state.counters["gradient"] = gradient.norm();
    state.counters["peak_GB"] = bench::peak_memory();
  }
}
BENCHMARK(rollout)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

// The rolling sphere of DiffPD (2,469 degrees of freedom): twenty steps with contact that sticks, forward and
// backward, with the two ways in which held nodes enter the matrix.
#include "tests/benchmarks/support.hpp"

namespace {

using namespace resilin;

const char* const kScene = R"(
time: {step: 0.005, steps: 20}
bodies:
  ball:
    mesh: {generator: {type: voxel_sphere, radius: 0.05, cell: 0.01}}
    density: 1000
    mass: uniform
    materials: [{type: corotated, E: 2e6, nu: 0.4}, {type: volume, E: 2e6, nu: 0.4}]
    initial: {translation: [0, 0, 0.002], angular_velocity: [0, 10, 0]}
colliders: {ground: {type: plane}}
contacts: [{type: complementarity}]
forward: {relative_tolerance: 1e-4}
backward: {relative_tolerance: 1e-4}
)";

void rolling_sphere(benchmark::State& state, const bench::Overrides& overrides) {
  bench::forward_and_backward(state, kScene, overrides);
}
BENCHMARK_CAPTURE(rolling_sphere, low_rank, {"contact_solver={type: active_set, low_rank: always}"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rolling_sphere, refactored, {"contact_solver={type: active_set, low_rank: never}"})
    ->Unit(benchmark::kMillisecond);

}  // namespace

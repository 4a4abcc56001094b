// One step, forward and backward, of boxes of more and more elements that bend under gravity: the exponent of
// the time over the degrees of freedom, and the memory of a million of them.
#include "tests/benchmarks/support.hpp"

namespace {

using namespace resilin;

const char* const kScene = R"(
time: {step: 0.01, steps: 1}
bodies:
  box:
    mesh: {generator: {type: box, size: [4, 1, 1], cells: [32, 8, 8]}}
    density: 1000
    materials: [{type: corotated, E: 1e6, nu: 0.45}, {type: volume, E: 1e6, nu: 0.45}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 1, 1]}}}]
forward: {relative_tolerance: 1e-4}
backward: {relative_tolerance: 1e-4}
)";

/// n elements across the box, four times as many along it.
bench::Overrides cells(Index n) {
  const std::string c = std::to_string(n);
  return {"bodies.box.mesh.generator.cells=[" + std::to_string(4 * n) + ", " + c + ", " + c + "]"};
}

void box(benchmark::State& state) {
  bench::forward_and_backward(state, kScene, cells(state.range(0)));
}
BENCHMARK(box)->Arg(8)->Arg(12)->Arg(18)->Arg(28)->ArgName("across")->Unit(benchmark::kMillisecond);
BENCHMARK(box)->Name("box_million")->Arg(43)->ArgName("across")->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

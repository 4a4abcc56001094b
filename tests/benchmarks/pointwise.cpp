// What one sample costs: singular values, and these with the projections of corotated elasticity and volume
// and the derivative of both, as the hot loops take them. Items per second are samples.
#include "core/energy/finite_element_energy.hpp"
#include "tests/benchmarks/support.hpp"

#include <random>

namespace {

using namespace resilin;

constexpr Index kPacks = 64;

std::vector<Mat3Pack> deformations() {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::vector<Mat3Pack> f(kPacks);
  for (Mat3Pack& p : f)
    for (int l = 0; l < kLanes; ++l) {
      Mat3 m = Mat3::Identity();
      for (double& v : m.reshaped()) v += 0.3 * normal(engine);
      set_lane(p, l, m);
    }
  return f;
}

void svd(benchmark::State& state) {
  const std::vector<Mat3Pack> f = deformations();
  std::vector<Svd3Pack> out(kPacks);
  for (auto _ : state) {
    batched_svd(f.data(), out.data(), kPacks);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kPacks * kLanes);
}
BENCHMARK(svd);

void svd_projections_and_jacobian(benchmark::State& state) {
  const auto sim = bench::simulation(R"(
time: {step: 0.01, steps: 1}
bodies:
  b:
    mesh: {generator: {type: box, size: [1, 1, 1], cells: [1, 1, 1]}}
    density: 1
    materials: [{type: corotated}, {type: volume}]
)");
  auto& energy = dynamic_cast<FiniteElementEnergy&>(*sim->system().energies()[0]);
  const std::vector<Mat3Pack> f = deformations();
  constexpr Index kBatch = 8;
  std::vector<Svd3Pack> s(kBatch);
  std::vector<Pack> parameters(2 * kBatch), psi(kBatch);
  std::vector<Mat3Pack> stress(kBatch);
  std::vector<TangentPack> tangent(kBatch);
  std::fill_n(parameters.begin(), kBatch, splat(1e6));
  std::fill_n(parameters.begin() + kBatch, kBatch, splat(0.45));
  for (auto _ : state)
    for (Index first = 0; first < kPacks; first += kBatch) {
      batched_svd(f.data() + first, s.data(), kBatch);
      const SampleBatch b{kBatch, f.data() + first, s.data(), parameters.data()};
      for (const Material* m : {&energy.material(0), &energy.material(1)}) {
        m->add_stress(b, psi.data(), stress.data());
        m->add_tangent(b, tangent.data());
      }
      benchmark::ClobberMemory();
    }
  state.SetItemsProcessed(state.iterations() * kPacks * kLanes);
}
BENCHMARK(svd_projections_and_jacobian);

}  // namespace

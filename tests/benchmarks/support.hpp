// Scenes of the benchmarks and what is counted of a run.
#pragma once

#include "core/solve/simulation.hpp"
#include "tests/support/scenes.hpp"

#include <benchmark/benchmark.h>
#include <cmath>
#include <sys/resource.h>

namespace resilin::bench {

using Overrides = std::vector<std::string>;

/// The scene with other values; `yaml` and overrides are those of a user's scene.
inline std::unique_ptr<Simulation> simulation(const std::string& yaml, const Overrides& overrides = {}) {
  const std::string file = (std::filesystem::temp_directory_path() / "resilin_benchmark.yaml").string();
  write_file(file, yaml);
  const SceneFile scene = load_scene(file, overrides, test::registry());
  return std::make_unique<Simulation>(scene.options.scene, test::registry(), scene.places);
}

/// dL/dx of the last step in a fixed, wavy direction.
inline BackwardReport gradient(const Simulation& sim, const Tape& tape) {
  const Index last = sim.num_steps();
  BackwardReport report;
  benchmark::DoNotOptimize(sim.gradient(
      tape,
      [&](Index k, Adjoint& a) {
        for (Index i = 0; k == last && i < a.x.size(); ++i)
          a.x[i] += std::sin(0.7 * static_cast<double>(i) + 0.3);
      },
      &report));
  return report;
}

/// The largest memory that the process had so far [GB].
inline double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

/// A whole run with its gradient, and the counters of both directions.
inline void forward_and_backward(benchmark::State& state, const std::string& yaml,
                                 const Overrides& overrides = {}, int threads = 1) {
  set_num_threads(threads);
  for (auto _ : state) {
    const auto sim = simulation(yaml, overrides);
    Tape tape;
    const RolloutReport forward = sim->run(tape, true);
    const BackwardReport backward = gradient(*sim, tape);
    state.counters["dofs"] = static_cast<double>(sim->system().num_dofs());
    state.counters["newton"] = static_cast<double>(forward.iterations);
    state.counters["linear"] = static_cast<double>(forward.linear_iterations);
    state.counters["backward"] = static_cast<double>(backward.iterations);
    state.counters["peak_GB"] = peak_memory();
  }
}

}  // namespace resilin::bench

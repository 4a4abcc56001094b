// The same bits for any number of threads and for every run.
#include "core/base/parallel.hpp"
#include "tests/physics/statics.hpp"

#include <cmath>
#include <cstring>

namespace resilin::test {
namespace {

struct Outcome {
  std::vector<State> states;
  VecX gradient;
};

Outcome simulate(const std::string& element, const std::string& forward, const std::string& backward,
                 int threads) {
  set_num_threads(threads);
  const auto made = make_simulation(fmt::format(R"(
time: {{step: 0.01, steps: 2}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.6, 0.2, 0.2], cells: {}, element: {}}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.2, 0.2]}}}}}}]
    initial: {{twist: {{axis: [1, 0, 0], point: [0, 0.1, 0.1], rate: 1}}}}
forward: {{type: {}, relative_tolerance: 1e-3}}
backward: {{type: {}, relative_tolerance: 1e-6}}
linear_solver: {{type: cholmod, ordering: amd}}
)",
                                                element == "hex8" ? "[16, 8, 8]" : "[12, 4, 4]", element,
                                                solid("corotated_volume", 1e6, 0.45), forward, backward));
  const Simulation& sim = *made;
  EXPECT_GT(sim.system().bodies()[0]->mesh.num_elements(), 1000);
  Outcome r;
  Tape tape;
  sim.run(tape, true);
  r.states = tape.states;
  r.gradient = sim.gradient(tape, [](Index frame, Adjoint& adjoint) {
    for (Index i = 0; i < adjoint.x.size(); ++i) adjoint.x[i] += std::sin(static_cast<double>(i + frame));
    adjoint.v.array() += 0.1;
  });
  set_num_threads(1);
  return r;
}

bool same_bits(const VecX& a, const VecX& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void expect_same(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t k = 0; k < a.states.size(); ++k) {
    EXPECT_TRUE(same_bits(a.states[k].x, b.states[k].x)) << "x after step " << k;
    EXPECT_TRUE(same_bits(a.states[k].v, b.states[k].v)) << "v after step " << k;
  }
  EXPECT_TRUE(a.gradient.allFinite());
  EXPECT_TRUE(same_bits(a.gradient, b.gradient));
}

class Determinism : public ::testing::TestWithParam<std::string> {};

TEST_P(Determinism, StatesAndGradientsAreBitEqual) {
  for (const auto& [forward, backward] : {std::pair("pd_newton_krylov", "pd_krylov"),
                                          std::pair("newton", "direct"), std::pair("pd", "pd_fixed_point")}) {
    SCOPED_TRACE(forward);
    const Outcome one = simulate(GetParam(), forward, backward, 1);
    expect_same(one, simulate(GetParam(), forward, backward, 2));
    expect_same(one, simulate(GetParam(), forward, backward, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, ::testing::Values("hex8", "tet4"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace resilin::test

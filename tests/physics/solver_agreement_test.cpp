// All forward solvers find the same states, all backward solvers the same gradient.
#include "tests/physics/statics.hpp"

namespace resilin::test {
namespace {

class SolverAgreement : public SceneTest, public ::testing::WithParamInterface<std::string> {
 protected:
  std::string beam(const std::string& materials) const {
    Mat3X a(3, 17 * 5 * 5);
    for (Index i = 0; i < a.size(); ++i) a.data()[i] = std::sin(0.7 * static_cast<double>(i) + 0.3);
    files_.write("a.csv", csv_text(a));
    return fmt::format(R"(
time: {{step: 0.01, steps: 5}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.32, 0.08, 0.08], cells: [16, 4, 4]}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.08, 0.08]}}}}, hold: rest}}]
    initial: {{twist: {{axis: [1, 0, 0], point: [0, 0.04, 0.04], rate: 2.4543692606170259}}}}
forward: {{relative_tolerance: 1e-10, absolute_tolerance: 0, max_iterations: 20000}}
backward: {{relative_tolerance: 1e-10}}
losses: [{{loss: {{type: linear_functional, positions: {{file: a.csv}}, velocities: [0.01, 0.02, 0.03]}}}}]
)",
                       materials);
  }
};

// A residual of 1e-10 of the elastic forces is an error of x of about the same share of the displacement
// within a step, carried through five: 1e-8 of x (and of v = dx/h, a hundred times dx).
TEST_P(SolverAgreement, ForwardSolversReachTheSameStates) {
  const std::string yaml = beam(solid(GetParam(), 1e6, 0.45));
  std::vector<Tape> tapes;
  for (const char* type : {"newton", "pd", "pd_newton_krylov", "newton_pcg", "pd_lbfgs", "pd_anderson"}) {
    const auto sim = simulation(yaml, {std::string("forward.type=") + type});
    tapes.emplace_back();
    sim->run(tapes.back(), true);
  }
  for (std::size_t k = 1; k < tapes.size(); ++k)
    for (std::size_t i = 1; i < tapes[0].states.size(); ++i) {
      EXPECT_LT(relative_error(tapes[k].states[i].x, tapes[0].states[i].x), 1e-8)
          << "solver " << k << ", step " << i;
      EXPECT_LT(relative_error(tapes[k].states[i].v, tapes[0].states[i].v), 1e-7)
          << "solver " << k << ", step " << i;
    }
}

// 222 iterations per step; without an update of A by the last steps more than 20,000.
TEST_P(SolverAgreement, ProjectiveDynamicsIsQuickWithoutAProjectionToo) {
  if (GetParam() == "corotated_volume") GTEST_SKIP() << "a projection: local/global iterations";
  const auto sim = simulation(beam(solid(GetParam(), 1e6, 0.45)), {"forward.type=pd"});
  Tape tape;
  EXPECT_LT(sim->run(tape, true).iterations, 5 * 300);
}

TEST_P(SolverAgreement, BackwardSolversFindTheSameGradient) {
  const std::string yaml = beam(solid(GetParam(), 1e6, 0.45));
  std::vector<VecX> gradients;
  std::vector<std::string> types{"direct", "pd_krylov", "pd_lbfgs", "auto"};
  if (GetParam() == "corotated_volume")
    types.emplace_back("pd_fixed_point");  // converges for projections only
  for (const std::string& type : types) {
    const auto t = task(yaml, {"backward.type=" + type, "forward.type=newton"});
    gradients.emplace_back();
    t->evaluate_table(gradients.back());
  }
  const auto minres =
      task(yaml, {"backward.type=pd_krylov", "backward.method=minres", "forward.type=newton"});
  gradients.emplace_back();
  minres->evaluate_table(gradients.back());
  // Groups apart, since their units and sizes differ by orders of magnitude.
  for (std::size_t k = 1; k < gradients.size(); ++k)
    for (const ParameterEntry& e : minres->simulation().system().parameters().entries()) {
      const VecX a = gradients[0].segment(e.offset, e.size), b = gradients[k].segment(e.offset, e.size);
      EXPECT_GT(a.norm(), 0) << e.path;
      EXPECT_LT((a - b).norm(), 1e-8 * a.norm()) << "solver " << k << ", " << e.path;
    }
}

// The tighter the tolerance, the more iterations take the work of a factorisation.
TEST_P(SolverAgreement, AutoHasTheBitsOfTheSolverThatItChooses) {
  const std::string yaml = beam(solid(GetParam(), 1e6, 0.45));
  for (const auto& [tolerance, best] : {std::pair{"1e-10", "direct"}, {"1e-1", "pd_krylov"}}) {
    const auto gradient = [&, t = std::string(tolerance), best = std::string(best)](const std::string& type) {
      const auto task =
          this->task(yaml, {"time.steps=2", "forward.relative_tolerance=1e-6", "linear_solver=eigen_ldlt",
                            "backward={type: " + type + ", relative_tolerance: " + t + "}"});
      VecX first, again;
      task->evaluate_table(first);
      task->evaluate_table(again);
      EXPECT_EQ(first, again) << type;
      const std::map<std::string, Index> expected{{best, 2}};
      EXPECT_EQ(task->backward_choices, type == "auto" ? expected : decltype(expected){}) << type;
      return first;
    };
    const VecX chosen = gradient("auto");
    for (const char* type : {"pd_krylov", "pd_lbfgs", "direct"})
      EXPECT_EQ(gradient(type) == chosen, type == std::string(best)) << type << " at " << tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SolverAgreement,
                         ::testing::Values("corotated_volume", "neo_hookean", "stable_neo_hookean"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace resilin::test

#include "core/solve/checkpoints.hpp"

#include "tests/support/components.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

/// Steps that a plan computes in all, the first pass included, and the most states it holds at a time.
struct Work {
  Index steps = 0, states = 0;
};
Work work_of(const CheckpointPlan& plan, Index steps) {
  std::vector<Index> stack{0};
  for (const Index p : plan.first_points(steps)) stack.push_back(p);
  EXPECT_LE(static_cast<Index>(stack.size()), plan.slots + 1);
  Work w{steps, 2 * static_cast<Index>(stack.size())};
  for (Index end = steps; !stack.empty();) {
    const Index begin = stack.back(), free = plan.slots + 1 - static_cast<Index>(stack.size());
    if (end - begin > plan.leaf && free > 0) {
      const Index next = plan.split(begin, end, free);
      EXPECT_GT(next, begin);
      EXPECT_LT(next, end);
      w.steps += next - begin;
      stack.push_back(next);
    } else {
      const Index from = std::max(begin, end - plan.leaf);
      w.steps += end - begin;
      w.states = std::max(w.states, 2 * static_cast<Index>(stack.size()) + end - from);
      if (from == begin) stack.pop_back();
      end = from;
    }
  }
  return w;
}

TEST(CheckpointPlan, KeepsEverythingThatFits) {
  EXPECT_TRUE(plan_checkpoints(1000, 300, 0, "automatic", false).keeps_all(1000));
  EXPECT_TRUE(plan_checkpoints(1000, 300, 16.0 * 300 * 1100, "automatic", false).keeps_all(1000));
  EXPECT_FALSE(plan_checkpoints(1000, 300, 16.0 * 300 * 900, "automatic", false).keeps_all(1000));
}

TEST(CheckpointPlan, UniformComputesEveryStepTwiceWithinTheBudget) {
  for (const Index states : {900, 300, 110}) {
    const CheckpointPlan plan =
        plan_checkpoints(1000, 300, 16.0 * 300 * static_cast<double>(states), "automatic", false);
    EXPECT_TRUE(plan.uniform);
    const Work w = work_of(plan, 1000);
    EXPECT_LE(w.steps, 2000);
    EXPECT_LE(w.states, states) << plan.leaf << " " << plan.slots;
  }
}

TEST(CheckpointPlan, BinomialNeedsLittleMemoryAndFewPasses) {
  // Ten slots and leaves of ten steps: C(10 + t, 10) >= 1000 for t = 4, so some five passes over 10,000
  // steps.
  const CheckpointPlan plan{10, 10, false};
  const Work w = work_of(plan, 10000);
  EXPECT_LE(w.steps, 6 * 10000);
  EXPECT_LE(w.states, 2 * 11 + 10);
  for (const Index states : {12, 20, 40, 60}) {
    const CheckpointPlan small =
        plan_checkpoints(10000, 300, 16.0 * 300 * static_cast<double>(states), "automatic", false);
    EXPECT_FALSE(small.uniform);
    EXPECT_LE(work_of(small, 10000).states, states);
  }
}

TEST(CheckpointPlan, SaysWhatWouldBeEnough) {
  try {
    plan_checkpoints(1000, 300, 16.0 * 300 * 40, "uniform", false);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    EXPECT_NE(std::string(e.what()).find("memory.budget"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("binomial"), std::string::npos) << e.what();
  }
  EXPECT_THROW(plan_checkpoints(1000, 300, 16.0 * 300 * 3, "automatic", false), Error);
  // On disk, checkpoints cost nothing.
  EXPECT_TRUE(plan_checkpoints(1000, 300, 16.0 * 300 * 12, "automatic", true).uniform);
}

std::string swing(const std::string& integrator, const std::string& extra) {
  return fmt::format(R"(
time: {{step: 0.02, steps: 37}}
integrator: {}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}}}
    materials: [{{type: neo_hookean, E: 4e4, nu: 0.4}}]
    damping: {{stiffness: 0.002}}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
    initial: {{velocity: [0, 0, -3]}}
losses:
  - {{loss: {{type: kinetic_energy}}}}
  - {{loss: {{type: smooth_maximum, sharpness: 3, loss: {{type: kinetic_energy}}}}, weight: 0.5}}
{}
)",
                     integrator, extra);
}

/// Bytes of `states` states of that beam, in MB.
std::string budget(double states) {
  return fmt::format("{:.9g}", states * 16 * 60 * 1e-6);
}

class Checkpoints : public ::testing::TestWithParam<std::string> {};

TEST_P(Checkpoints, GiveTheSameBitsAsAllStates) {
  for (const std::string failure :
       {"", "forward: {type: newton, max_iterations: 3}\non_failure: halve_step\n"}) {
    if (!failure.empty() && GetParam() == "quasi_static") continue;  // no shorter step makes it easier
    VecX plain, pieces;
    const auto all = make_task(swing(GetParam(), failure));
    const double loss = all->evaluate_table(plain);
    ASSERT_TRUE(plain.allFinite());
    EXPECT_EQ(all->last_rollout.halvings > 0, !failure.empty());
    const TestFolder folder;
    for (const std::string& memory : std::vector<std::string>{
             "memory: {checkpoints: uniform}", "memory: {checkpoints: binomial}",
             "memory: {budget: " + budget(36) + "}", "memory: {budget: " + budget(25) + "}",
             "memory: {budget: " + budget(11) + "}",
             "memory: {checkpoints: uniform, spill: " + folder.file(".") + "}",
             "memory: {budget: " + budget(9.5) + ", spill: " + folder.file(".") + "}"}) {
      const auto task = make_task(swing(GetParam(), failure + memory));
      EXPECT_EQ(task->evaluate_table(pieces), loss) << memory;
      EXPECT_EQ(pieces, plain) << memory << " " << failure;
      EXPECT_EQ(task->last_rollout.iterations, all->last_rollout.iterations);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.file("."))) << "checkpoints on disk vanish";
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Checkpoints, ::testing::ValuesIn(registry().types("integrator")));

TEST(Checkpoints, AFolderThatIsNotThereIsNamed) {
  const auto task =
      make_task(swing("implicit_euler", "memory: {checkpoints: uniform, spill: /no/such/folder}"));
  VecX g;
  try {
    task->evaluate_table(g);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Io);
    EXPECT_NE(std::string(e.what()).find("/no/such/folder"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace resilin::test

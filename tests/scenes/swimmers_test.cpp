// The swimmers of configs/diffpd: as many muscles and weights as in the paper, and a network that learns.
#include "tests/support/scenes.hpp"

namespace resilin::test {
namespace {

std::unique_ptr<Task> swimmer(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const SceneFile file = load_scene(std::string(RESILIN_SOURCE_DIR) + "/configs/diffpd/" + name + ".yaml",
                                    overrides, registry());
  return std::make_unique<Task>(file.options, registry(), file.places);
}

TEST(Swimmers, HaveTheMusclesOfThePaper) {
  const auto fish = swimmer("fish"), starfish = swimmer("starfish");
  EXPECT_EQ(fish->simulation().system().bodies()[0]->mesh.num_elements(), 20 * 2 * 2);
  EXPECT_EQ(fish->simulation().system().num_controls(), 4);
  EXPECT_EQ(starfish->simulation().system().bodies()[0]->mesh.num_elements(), (2 * 22 * 2 - 2 * 2) * 2);
  EXPECT_EQ(starfish->simulation().system().num_controls(), 16);
  EXPECT_EQ(fish->size(), 64 * 130 + 64 * 65 + 4 * 65);
  EXPECT_EQ(starfish->size(), 64 * 280 + 64 * 65 + 16 * 65);
}

TEST(Swimmers, StepsAgainstTheGradientMakeTheLossFall) {
  for (const char* name : {"fish", "starfish"}) {
    SCOPED_TRACE(name);
    const auto task = swimmer(name, {"time.steps=8"});
    VecX u = task->start(), gradient(task->size());
    double loss = task->evaluate(u, gradient);
    for (int k = 0; k < 5; ++k) {
      // Half of what the gradient promises for a step that is to take a tenth off.
      u -= 0.1 * loss / gradient.squaredNorm() * gradient;
      const double next = task->evaluate(u, gradient);
      EXPECT_LT(next, 0.95 * loss) << "step " << k;
      loss = next;
    }
  }
}

}  // namespace
}  // namespace resilin::test

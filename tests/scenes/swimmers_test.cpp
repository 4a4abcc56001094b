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

TEST(Swimmers, TheStarfishLearnsToSwim) {
  const SceneFile file =
      load_scene(std::string(RESILIN_SOURCE_DIR) + "/configs/diffpd/starfish.yaml",
                 {"time.steps=20", "optimizer.max_iterations=12", "optimizer.step=3e-3"}, registry());
  Task task(file.options, registry(), file.places);
  BuildContext context;
  context.registry = &registry();
  const auto adam = registry().make<Optimizer>(file.options.optimizer, context);
  VecX u = task.start(), gradient(task.size());
  // Minus the sum over the frames of the forward velocity [m/s], and what drifting costs.
  EXPECT_NEAR(task.evaluate(u, gradient), 0, 0.01) << "at first it stays where it is";
  (void)adam->minimize(task, task.lower(), task.upper(), u);
  EXPECT_LT(task.evaluate(u, gradient), -0.1);
}

TEST(Swimmers, AFishWhoseHalvesAreMirrorImagesGainsNoWay) {
  // No force can push it along, whatever the network does: why the experiment starts with way on.
  const SceneFile file = load_scene(std::string(RESILIN_SOURCE_DIR) + "/configs/diffpd/fish.yaml",
                                    {"time.steps=20", "bodies.fish.initial.velocity=[0, 0, 0]",
                                     "losses=[{loss: {type: linear_functional, of: centroid, positions: [0, "
                                     "0, 0], velocities: [1, 0, 0]}}]"},
                                    registry());
  Task task(file.options, registry(), file.places);
  VecX u = task.start(), gradient(task.size());
  EXPECT_NEAR(task.evaluate(u, gradient), 0, 1e-10);
}

}  // namespace
}  // namespace resilin::test

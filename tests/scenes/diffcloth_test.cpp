// The cloth of configs/diffcloth: what its tasks find.
#include "tests/support/scenes.hpp"

namespace resilin::test {
namespace {

std::unique_ptr<Task> cloth_task(const std::string& name, const std::vector<std::string>& overrides) {
  const SceneFile file = load_scene(std::string(RESILIN_SOURCE_DIR) + "/configs/diffcloth/" + name + ".yaml",
                                    overrides, registry());
  return std::make_unique<Task>(file.options, registry(), file.places);
}

std::unique_ptr<Optimizer> cloth_optimizer(const std::string& name) {
  const SceneFile file =
      load_scene(std::string(RESILIN_SOURCE_DIR) + "/configs/diffcloth/" + name + ".yaml", {}, registry());
  return registry().make<Optimizer>(file.options.optimizer, {});
}

TEST(DiffCloth, StiffnessAgainstStretchingAndBendingIsFoundFromTheMotion) {
  const auto task = cloth_task("hang", {});
  VecX u = task->start();
  const double first = task->value(u);
  const OptimizerReport r = cloth_optimizer("hang")->minimize(*task, task->lower(), task->upper(), u);
  EXPECT_LT(r.loss, 1e-10 * first);
  EXPECT_NEAR(std::exp(u[0]), 100, 1e-4);
  EXPECT_NEAR(std::exp(u[1]), 0.01, 1e-6);
}

// In 50 of its 200 steps and with fewer cells; the force is that on a vertex, whatever their number.
TEST(DiffCloth, WindIsFoundFromTheMotion) {
  const auto task = cloth_task("wind", {"time.steps=50", "bodies.sheet.mesh.generator.cells=[11, 11]",
                                        "forward.relative_tolerance=1e-9"});
  VecX u = task->start();
  cloth_optimizer("wind")->minimize(*task, task->lower(), task->upper(), u);
  EXPECT_LT((u - Vec3(0, 0.004, 0.004)).norm(), 1e-5);
}

}  // namespace
}  // namespace resilin::test

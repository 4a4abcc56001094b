// Every scene and task in configs/, shortened: it loads, runs, and its gradient is that of central
// differences.
#include "core/optim/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <algorithm>
#include <map>

namespace resilin::test {
namespace {

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  const std::string all = std::string(RESILIN_SOURCE_DIR) + "/configs";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(all))
    // Studies are no scenes, and published ones ask for meshes that are no part of the project.
    if (const auto folder = entry.path().parent_path().filename();
        entry.path().extension() == ".yaml" && folder != "studies" && folder != "published")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// What else is changed of a file: a scene that would not touch the ground in so few steps, or takes long.
const std::map<std::string, std::vector<std::string>> kChanges = {
    {"bouncing_ball",
     {"bodies.ball.initial.translation=[0, 0, 0.005]",
      "bodies.ball.mesh.generator.cell=0.03333333333333333"}},
    {"bowl",
     {"bodies.napkin.initial.translation=[0, -0.29, 0]", "bodies.napkin.initial.velocity=[0.5, -2, 0.2]",
      "bodies.napkin.mesh.generator.cells=[5, 5]"}},
    {"continuity", {"bodies.sheet.initial.velocity=[0.5, -1, 0.1]"}},
    {"diffcloth_landscape",
     {"colliders.ball.position=[0.2, -1.665, -1.498]", "bodies.sheet.initial.velocity=[0.5, -1, 0]"}},
    {"cantilever",
     {"bodies.beam.mesh.generator.cells=[8, 2, 2]",
      "bodies.beam.materials[2].elements.box.max=[0.32, 0.04, 0.04]",
      "bodies.beam.materials[2].activation=[0.37, 0.95, 0.73, 0.60, 0.16, 0.16, 0.06, 0.87]"}},
    {"dress", {"bodies.dress.mesh.generator.cells_around=16", "bodies.dress.mesh.generator.cells_along=6"}},
    {"flag", {"bodies.flag.mesh.generator.cells=[8, 5]"}},
    {"hat",
     {"bodies.hat.mesh.generator={type: hat, radius: 2.2, brim_width: 0.8, cells_around: 12, cells_crown: 4, "
      "cells_brim: 1}",
      "energies.brim.motion.duration=0.2", "energies.top.motion.duration=0.2"}},
    {"hat_controller",
     {"bodies.hat.mesh.generator={type: hat, radius: 2.2, brim_width: 0.8, cells_around: 12, cells_crown: 4, "
      "cells_brim: 1}"}},
    {"quadruped", {"time.steps=2"}},
    {"sock",
     {"bodies.sock.mesh.generator={type: sock, radius: 1.1, leg: 2.6, bend: 1.3, foot: 1.07, cells_around: "
      "8, "
      "cells_leg: 2, cells_bend: 2, cells_foot: 1, cells_toe: 2}",
      "energies.right.nodes.indices=[0]", "energies.left.nodes.indices=[4]",
      "energies.back.nodes.indices=[6]", "energies.toe.nodes.indices=[56]",
      "energies.right.motion.duration=0.2", "energies.left.motion.duration=0.2",
      "energies.back.motion.duration=0.2", "energies.toe.motion.duration=0.2",
      "losses[0].loss.points=[{nodes: {indices: [0, 2]}, target: [0.8, 9, -2]}, {nodes: {indices: [4, 6]}, "
      "target: "
      "[-0.8, 9, -2]}, {nodes: {indices: [56]}, target: [0, 4.7, -4]}, {nodes: {indices: [6]}, target: [0, "
      "9, -3], "
      "frame: 2}]"}},
    {"sphere",
     {"bodies.sheet.mesh.generator.cells=[10, 10]", "bodies.sheet.initial.velocity=[1, -1, 0]",
      "bodies.sheet.initial.translation=[0.013, 0, 0.007]"}},
    {"tennis_balls",
     {"bodies.target.mesh.translation=[-0.055, 0.02, 0.0363]", "bodies.hitter.mesh.generator.cells=2",
      "bodies.target.mesh.generator.cells=2"}},
    {"torus", {"bodies.torus.mesh.generator.cell=0.0125"}},
    {"tshirt", {"bodies.shirt.mesh.generator.cell=0.6"}},
};

class Configs : public ::testing::TestWithParam<std::string> {};

TEST_P(Configs, ShortenedRunHasTheGradientOfDifferences) {
  std::vector<std::string> overrides = {"time.steps=3", "forward.relative_tolerance=1e-11",
                                        "backward.relative_tolerance=1e-10"};
  const std::filesystem::path config(GetParam());
  const std::string stem = config.stem().string();
  auto changes = kChanges.find(stem);
  if (changes == kChanges.end())  // two papers have one of that name
    changes = kChanges.find(config.parent_path().filename().string() + "_" + stem);
  if (changes != kChanges.end())
    overrides.insert(overrides.end(), changes->second.begin(), changes->second.end());
  const SceneFile file = load_scene(GetParam(), overrides, registry());
  Task task(file.options, registry(), file.places);
  task.apply(task.start());
  GradcheckOptions options;
  options.coordinates = options.random_directions = 1;
  for (const TaskVariable& v : task.variables()) options.paths.push_back(v.entries.front().path);
  ASSERT_FALSE(options.paths.empty());
  const GradcheckReport report = check_gradient(task, options);
  // Of the values of a signal only those count that are reached in these steps.
  std::vector<std::string> depends;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << " " << row.direction << ": adjoint " << row.adjoint
                            << ", difference " << row.difference;
    if (row.adjoint != 0) depends.push_back(row.path);
  }
  for (const std::string& path : options.paths) EXPECT_THAT(depends, ::testing::Contains(path));
}

INSTANTIATE_TEST_SUITE_P(All, Configs, ::testing::ValuesIn(config_files()), [](const auto& test) {
  const std::filesystem::path path(test.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace resilin::test

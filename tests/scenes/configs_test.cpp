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
  const std::string folder = std::string(RESILIN_SOURCE_DIR) + "/configs";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml" && entry.path().parent_path().filename() != "studies")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// What else is changed of a file: a scene that would not touch the ground in so few steps, or takes long.
const std::map<std::string, std::vector<std::string>> kChanges = {
    {"bouncing_ball",
     {"bodies.ball.initial.translation=[0, 0, 0.005]",
      "bodies.ball.mesh.generator.cell=0.03333333333333333"}},
    {"cantilever",
     {"bodies.beam.mesh.generator.cells=[8, 2, 2]",
      "bodies.beam.materials[2].elements.box.max=[0.32, 0.04, 0.04]",
      "bodies.beam.materials[2].activation=[0.37, 0.95, 0.73, 0.60, 0.16, 0.16, 0.06, 0.87]"}},
    {"quadruped", {"time.steps=2"}},
    {"tennis_balls",
     {"bodies.target.mesh.translation=[-0.055, 0.02, 0.0363]", "bodies.hitter.mesh.generator.cells=2",
      "bodies.target.mesh.generator.cells=2"}},
    {"torus", {"bodies.torus.mesh.generator.cell=0.0125"}},
};

class Configs : public ::testing::TestWithParam<std::string> {};

TEST_P(Configs, ShortenedRunHasTheGradientOfDifferences) {
  std::vector<std::string> overrides = {"time.steps=3", "forward.relative_tolerance=1e-11",
                                        "backward.relative_tolerance=1e-10"};
  const auto changes = kChanges.find(std::filesystem::path(GetParam()).stem().string());
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
  std::string name = std::filesystem::path(test.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace resilin::test

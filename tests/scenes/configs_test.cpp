// Every scene and task in configs/, shortened: it loads, runs, and its gradient is that of central
// differences.
#include "core/optim/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <algorithm>

namespace resilin::test {
namespace {

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  const std::string folder = std::string(RESILIN_SOURCE_DIR) + "/configs";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Configs : public ::testing::TestWithParam<std::string> {};

TEST_P(Configs, ShortenedRunHasTheGradientOfDifferences) {
  const SceneFile file = load_scene(
      GetParam(), {"time.steps=3", "forward.relative_tolerance=1e-11", "backward.relative_tolerance=1e-10"},
      registry());
  Task task(file.options, registry(), file.places);
  task.apply(task.start());
  GradcheckOptions options;
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

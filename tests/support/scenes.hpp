// Scenes for tests, written as text.
#pragma once

#include "core/base/file.hpp"
#include "core/model/scene.hpp"
#include "core/optim/task.hpp"
#include "core/plugin/paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

namespace resilin::test {

/// A folder of its own for each test, removed at its end.
class TestFolder {
 public:
  TestFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    for (char& c : name)
      if (c == '/') c = '_';
    static int count = 0;  // one test may have several
    path_ = std::filesystem::temp_directory_path() /
            ("resilin_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + "_" + name);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    write_file(file(name), text);
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

/// All first-party types, loaded once per process.
inline Registry& registry() {
  static Registry* instance = [] {
    auto* r = new Registry;
    r->load_folder(RESILIN_PLUGIN_DIR);
    return r;
  }();
  return *instance;
}

inline SceneFile read_scene(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const TestFolder folder;
  return load_scene(folder.write("scene.yaml", yaml), overrides, registry());
}
inline std::unique_ptr<Simulation> make_simulation(const std::string& yaml,
                                                   const std::vector<std::string>& overrides = {}) {
  const SceneFile s = read_scene(yaml, overrides);
  return std::make_unique<Simulation>(s.options.scene, registry(), s.places);
}
inline std::unique_ptr<Task> make_task(const std::string& yaml,
                                       const std::vector<std::string>& overrides = {}) {
  const SceneFile s = read_scene(yaml, overrides);
  return std::make_unique<Task>(s.options, registry(), s.places);
}

inline double relative_error(const VecX& a, const VecX& b) {
  return (a - b).norm() / b.norm();
}

}  // namespace resilin::test

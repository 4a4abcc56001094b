#include "core/plugin/paths.hpp"

#include "core/plugin/registry.hpp"
#include "tests/unit/plugin/expect_error.hpp"
#include "tests/unit/plugin/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace resilin {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

/// Sets RESILIN_PLUGIN_PATH for a test and puts the old value back.
class PluginPathVariable {
 public:
  explicit PluginPathVariable(const std::string& value) {
    if (const char* old = std::getenv(kName)) {
      had_ = true;
      old_ = old;
    }
    setenv(kName, value.c_str(), 1);
  }
  PluginPathVariable(const PluginPathVariable&) = delete;
  PluginPathVariable& operator=(const PluginPathVariable&) = delete;
  ~PluginPathVariable() { had_ ? setenv(kName, old_.c_str(), 1) : unsetenv(kName); }

 private:
  static constexpr const char* kName = "RESILIN_PLUGIN_PATH";
  bool had_ = false;
  std::string old_;
};

std::string bad_plugin(const std::string& file) {
  return (fs::path(BAD_PLUGIN_DIR) / file).string();
}

TEST(PluginPaths, FoldersLieBesideTheCoreLibrary) {
  const fs::path plugins = first_party_plugin_folder();
  EXPECT_EQ(plugins.filename(), "plugins");
  EXPECT_EQ(plugins.parent_path().filename(), "resilin");
  EXPECT_TRUE(fs::exists(plugins.parent_path().parent_path() / "libresilin_core.so")) << plugins;
  EXPECT_TRUE(fs::exists(fs::path(plugin_template_folder()) / "material.cpp.in")) << plugin_template_folder();
}

TEST(PluginPaths, ListMayHoldFilesFoldersAndEmptyParts) {
  const test::TemporaryFolder folder;
  fs::copy_file(bad_plugin("second.so"), folder / "other.so");
  Registry registry;
  load_plugin_path(registry, ":" + bad_plugin("good.so") + "::" + folder.str() + ":");
  ASSERT_EQ(registry.libraries().size(), 2U);
  EXPECT_EQ(registry.libraries()[0].name, "good");
  EXPECT_EQ(registry.libraries()[1].name, "second");
}

TEST(PluginPaths, EmptyListLoadsNothing) {
  Registry registry;
  load_plugin_path(registry, "");
  EXPECT_TRUE(registry.libraries().empty());
}

TEST(PluginPaths, MissingPartIsAnErrorNamingIt) {
  Registry registry;
  expect_error(Errc::Plugin, [&] { load_plugin_path(registry, bad_plugin("good.so") + ":/no/such/folder"); },
               {"RESILIN_PLUGIN_PATH names '/no/such/folder', which does not exist"});
}

TEST(PluginPaths, StandardPluginsAreTheFirstPartyOnesAndThenTheVariable) {
  const PluginPathVariable variable(bad_plugin("good.so"));
  Registry registry;
  load_standard_plugins(registry);
  ASSERT_FALSE(registry.libraries().empty());
  EXPECT_EQ(registry.libraries().back().name, "good");
  const std::string folder = first_party_plugin_folder() + "/";
  for (std::size_t i = 0; i + 1 < registry.libraries().size(); ++i)
    EXPECT_EQ(registry.libraries()[i].file.rfind(folder, 0), 0U) << registry.libraries()[i].file;
}

TEST(PluginPaths, VariableWithAMissingFolderStopsLoading) {
  const PluginPathVariable variable("/no/such/folder");
  Registry registry;
  expect_error(Errc::Plugin, [&] { load_standard_plugins(registry); }, {"'/no/such/folder'"});
}

}  // namespace
}  // namespace resilin

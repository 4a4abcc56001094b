#include "core/plugin/new_plugin.hpp"

#include "core/plugin/paths.hpp"
#include "tests/unit/plugin/expect_error.hpp"
#include "tests/unit/plugin/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace resilin {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void write_rubber(const std::string& folder) {
  write_plugin_project("material", "my_rubber", folder, plugin_template_folder());
}

TEST(NewPlugin, WritesAllFilesWithNothingLeftToFillIn) {
  const TemporaryFolder parent;
  const fs::path folder = parent / "deep/my_rubber";
  write_rubber(folder.string());
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    files.insert(entry.path().filename().string());
    EXPECT_FALSE(has(text_of(entry.path()), "@")) << entry.path();
  }
  EXPECT_EQ(files, (std::set<std::string>{"CMakeLists.txt", "README.md", "my_rubber.cpp", "scene.yaml"}));
}

TEST(NewPlugin, NamesStandWhereTheyBelong) {
  const TemporaryFolder parent;
  const fs::path folder = parent / "my_rubber";
  write_rubber(folder.string());
  const std::string source = text_of(folder / "my_rubber.cpp");
  EXPECT_TRUE(has(source, "struct MyRubber final : EnergyDensityMaterial<MyRubber, 2>"));
  EXPECT_TRUE(has(source, "RESILIN_PLUGIN(\"my_rubber\", "));
  EXPECT_TRUE(has(text_of(folder / "CMakeLists.txt"), "resilin_add_plugin(my_rubber my_rubber.cpp)"));
  const std::string scene = text_of(folder / "scene.yaml");
  EXPECT_TRUE(has(scene, "name: my_rubber_beam\nplugins: [build/my_rubber.so]\n"));
  EXPECT_TRUE(has(scene, "materials: [{type: my_rubber, youngs_modulus: 1e5, poissons_ratio: 0.4}]"));
}

TEST(NewPlugin, ClassNamesAreInCamelCase) {
  const TemporaryFolder parent;
  write_plugin_project("material", "x2_gel", (parent / "a").string(), plugin_template_folder());
  EXPECT_TRUE(has(text_of(parent / "a/x2_gel.cpp"), "struct X2Gel final"));
}

TEST(NewPlugin, NamesThatAreNoIdentifiersAreRefused) {
  const TemporaryFolder parent;
  const std::string folder = (parent / "new").string();
  for (const char* name :
       {"", "MyRubber", "my-rubber", "2rubber", "_rubber", "rubber_", "my__rubber", "a/b", "a b"})
    expect_error(
        Errc::Input, [&] { write_plugin_project("material", name, folder, plugin_template_folder()); },
        {("'" + std::string(name) + "' is no name for a plugin; expected lower_snake_case").c_str()});
  for (const char* name : {"test", "all", "null"})
    expect_error(Errc::Input,
                 [&] { write_plugin_project("material", name, folder, plugin_template_folder()); },
                 {"CMake or YAML"});
  EXPECT_FALSE(fs::exists(folder));
}

TEST(NewPlugin, ExistingFoldersAreLeftAlone) {
  const TemporaryFolder parent;
  expect_error(Errc::Input, [&] { write_rubber(parent.str()); }, {parent.str().c_str(), "exists already"});
  EXPECT_TRUE(fs::is_empty(parent.str()));
  fs::create_symlink("nowhere", parent / "dangling");
  expect_error(Errc::Input, [&] { write_rubber((parent / "dangling").string()); }, {"exists already"});
}

TEST(NewPlugin, KindsWithoutTemplateAreRefusedWithTheListOfThoseThatHaveOne) {
  const TemporaryFolder parent;
  const std::string folder = (parent / "new").string();
  expect_error(Errc::Input, [&] { write_plugin_project("force", "wind", folder, plugin_template_folder()); },
               {"no template for a plugin of kind 'force'", "material"});
  EXPECT_FALSE(fs::exists(folder));
}

TEST(NewPlugin, BrokenTemplatesWriteNothing) {
  const TemporaryFolder templates;
  const TemporaryFolder parent;
  const std::string folder = (parent / "new").string();
  std::ofstream(templates / "material.cpp.in") << "// @NAME@\n";
  expect_error(Errc::Io, [&] { write_plugin_project("material", "gel", folder, templates.str()); },
               {"CMakeLists.txt.in"});
  EXPECT_FALSE(fs::exists(folder));
  expect_error(Errc::Io, [&] { write_plugin_project("material", "gel", folder, "/no/such/templates"); },
               {"/no/such/templates"});
}

}  // namespace
}  // namespace resilin

// Loads the libraries of tests/bad_plugins, each wrong in one way.
#include "core/plugin/plugin.hpp"
#include "core/plugin/registry.hpp"
#include "tests/support/test_interface.hpp"
#include "tests/unit/plugin/expect_error.hpp"
#include "tests/unit/plugin/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace resilin {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::Gadget;
using test::TemporaryFolder;

std::string library(const std::string& name) {
  return (fs::canonical(BAD_PLUGIN_DIR) / (name + ".so")).string();
}

/// Expects a refusal that names the library and all `parts`, and that nothing stays registered.
std::string expect_refused(const std::string& name, std::initializer_list<const char*> parts) {
  Registry registry;
  const std::string what = expect_error(
      Errc::Plugin, [&] { registry.load(library(name)); }, parts);
  EXPECT_EQ(what.rfind(library(name) + ": ", 0), 0U) << what;
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  EXPECT_TRUE(registry.entries().empty());
  EXPECT_TRUE(registry.libraries().empty());
  return what;
}

double value_of(const Registry& registry, const std::string& type) {
  ComponentSpec spec;
  spec.type = type;
  spec.options = registry.make_options("gadget", type);
  return registry.make<Gadget>(spec, {})->value();
}

TEST(Loader, GoodPluginIsRegisteredAndWorks) {
  Registry registry;
  registry.load(library("good"));
  ASSERT_EQ(registry.libraries().size(), 1U);
  EXPECT_EQ(registry.libraries()[0].name, "good");
  EXPECT_EQ(registry.libraries()[0].version, "1.0");
  EXPECT_EQ(registry.libraries()[0].file, library("good"));
  ASSERT_NE(registry.find("gadget", "good_thing"), nullptr);
  EXPECT_EQ(registry.find("gadget", "good_thing")->library, "good 1.0 (" + library("good") + ")");
  EXPECT_EQ(registry.default_type("gadget"), "good_thing");
  EXPECT_DOUBLE_EQ(value_of(registry, "good_thing"), 42.0);
}

TEST(Loader, ObjectsOutliveTheRegistryThatLoadedThem) {
  std::unique_ptr<Gadget> gadget;
  {
    Registry registry;
    registry.load(library("good"));
    ComponentSpec spec;
    spec.type = "good_thing";
    spec.options = registry.make_options("gadget", "good_thing");
    gadget = registry.make<Gadget>(spec, {});
  }
  EXPECT_DOUBLE_EQ(gadget->value(), 42.0);
}

TEST(Loader, SameFileTwiceDoesNothingHoweverItIsNamed) {
  const TemporaryFolder folder;
  fs::create_symlink(library("good"), folder / "link.so");
  const std::string detour = (fs::path(BAD_PLUGIN_DIR) / ".." / "bad_plugins" / "." / "good.so").string();
  Registry registry;
  registry.load(library("good"));
  registry.load(library("good"));
  registry.load(detour);
  registry.load((folder / "link.so").string());
  EXPECT_EQ(registry.libraries().size(), 1U);
  EXPECT_EQ(registry.entries().size(), 1U);
}

TEST(Loader, EachRegistryGetsItsOwnRegistration) {
  Registry first, second;
  first.load(library("good"));
  second.load(library("good"));
  EXPECT_DOUBLE_EQ(value_of(first, "good_thing"), 42.0);
  EXPECT_DOUBLE_EQ(value_of(second, "good_thing"), 42.0);
}

TEST(Loader, AnotherCompilerIsRefused) {
  const std::string what =
      expect_refused("other_compiler", {"built for another core: compiler another, expected "});
  EXPECT_EQ(what.find(';'), std::string::npos) << what;
}

TEST(Loader, WrongApiNumberIsAllThatIsRead) {
  const std::string what = expect_refused("wrong_api", {"built for another core: api number 2, expected 1"});
  EXPECT_EQ(what.find(';'), std::string::npos) << what;
}

TEST(Loader, WrongStaticAlignmentNamesTheRemedy) {
  const std::string what = expect_refused(
      "wrong_static_alignment", {"built for another core: static alignment 32, expected 16 (compile with "
                                 "EIGEN_MAX_STATIC_ALIGN_BYTES=16, or use resilin_add_plugin)"});
  EXPECT_EQ(what.find(';'), std::string::npos) << what;
}

TEST(Loader, WrongLayoutIsRefused) {
  const std::string part =
      "layout " + std::to_string(kLayout + 8) + ", expected " + std::to_string(kLayout) + " (compile against";
  const std::string what = expect_refused("wrong_layout", {part.c_str()});
  EXPECT_EQ(what.find("compiler"), std::string::npos) << what;
}

TEST(Loader, EveryDifferenceIsNamed) {
  expect_refused(
      "wrong_everything",
      {"; alignment 32, expected 64 (compile with EIGEN_MAX_ALIGN_BYTES=64", "Eigen 3.3.7, expected 3.",
       "; static alignment 64, expected 16", "; EIGEN_MALLOC_ALREADY_ALIGNED ",
       "; _GLIBCXX_USE_CXX11_ABI 0, expected 1", "; _GLIBCXX_DEBUG ", "; layout ",
       "; interface 0123456789abcdef, expected ", "; compiler another, expected "});
}

TEST(Loader, FileProblemsAreTold) {
  const TemporaryFolder folder;
  Registry registry;
  const std::string missing = (folder / "missing.so").string();
  const std::string text = (folder / "text.so").string();
  const std::string cut = (folder / "cut.so").string();
  std::ofstream(text) << "this is no library\n";
  std::ofstream(cut) << "\177ELF";
  EXPECT_EQ(expect_error(Errc::Plugin, [&] { registry.load(missing); }),
            missing + ": no such file; expected a plugin library");
  EXPECT_EQ(expect_error(Errc::Plugin, [&] { registry.load(text); }), text + ": is not a shared library");
  EXPECT_EQ(expect_error(Errc::Plugin, [&] { registry.load(cut); }),
            cut + ": cannot be opened: file too short");
  EXPECT_EQ(expect_error(Errc::Plugin, [&] { registry.load(folder.str()); }),
            folder.str() + ": is not a file; expected a plugin library");
}

TEST(Loader, LibraryWithoutPluginSymbolsIsRefused) {
  expect_refused("no_plugin", {"is a library but no plugin: RESILIN_PLUGIN(...) is missing"});
}

TEST(Loader, NamelessPluginIsRefused) {
  expect_refused("nameless", {"lacks a name or a version"});
}

TEST(Loader, MissingSymbolFailsAtLoadAndIsNamed) {
  const std::string what =
      expect_refused("missing_symbol", {"cannot be opened: undefined symbol: _Z19nowhere"});
  EXPECT_EQ(what.find("dlerror"), std::string::npos) << what;
  EXPECT_EQ(what.find("another version"), std::string::npos) << what;
}

TEST(Loader, ThrowingRegistrationLeavesNothing) {
  expect_refused("throws", {"plugin 'throws' failed: the table of constants is missing"});
  expect_refused("throws_number", {"plugin 'throws_number' failed", "no std::exception"});
}

TEST(Loader, FailedRegistrationKeepsWhatWasThere) {
  Registry registry;
  registry.load(library("good"));
  expect_error(Errc::Plugin, [&] { registry.load(library("throws")); });
  EXPECT_EQ(registry.types("gadget"), std::vector<std::string>{"good_thing"});
  EXPECT_EQ(registry.libraries().size(), 1U);
  // What is registered next belongs to the core again.
  registry.add<Gadget, test::ScaledGadget<1>>("own", "made by the program");
  EXPECT_EQ(registry.find("gadget", "own")->library, "core");
}

TEST(Loader, DuplicateWithinALibraryIsRefused) {
  expect_refused("duplicate_within", {"gadget 'twin' is registered twice by duplicate_within 1.0 ("});
}

TEST(Loader, DuplicateNamesBothLibraries) {
  Registry registry;
  registry.load(library("good"));
  const std::string both = "gadget 'good_thing' is defined by both good 1.0 (" + library("good") +
                           ") and impostor 2.0 (" + library("duplicate_of_good") + ")";
  expect_error(Errc::Plugin, [&] { registry.load(library("duplicate_of_good")); }, {both.c_str()});
  EXPECT_EQ(registry.types("gadget"), std::vector<std::string>{"good_thing"});
  EXPECT_DOUBLE_EQ(value_of(registry, "good_thing"), 42.0);
}

TEST(Loader, SecondDefaultNamesBothLibraries) {
  Registry registry;
  registry.load(library("good"));
  expect_error(Errc::Plugin, [&] { registry.load(library("second_default")); },
               {"gadget 'good_thing' of good 1.0 (", "'rival_thing' of second_default 1.0 (",
                "would both be the default"});
  EXPECT_EQ(registry.default_type("gadget"), "good_thing");
}

TEST(Loader, FolderIsLoadedInTheOrderOfNames) {
  const TemporaryFolder folder;
  fs::copy_file(library("good"), folder / "b.so");
  fs::copy_file(library("second"), folder / "a.so");
  std::ofstream(folder / "notes.txt") << "not a library";
  Registry registry;
  registry.load_folder(folder.str());
  ASSERT_EQ(registry.libraries().size(), 2U);
  EXPECT_EQ(registry.libraries()[0].name, "second");
  EXPECT_EQ(registry.libraries()[1].name, "good");
}

TEST(Loader, FolderWithABadLibraryIsAnErrorNamingIt) {
  const TemporaryFolder folder;
  std::ofstream(folder / "broken.so") << "text";
  Registry registry;
  expect_error(Errc::Plugin, [&] { registry.load_folder(folder.str()); },
               {"/broken.so: is not a shared library"});
  const std::string missing = (folder / "missing").string();
  expect_error(Errc::Plugin, [&] { registry.load_folder(missing); },
               {(missing + ": cannot read the plugin folder").c_str()});
}

}  // namespace
}  // namespace resilin

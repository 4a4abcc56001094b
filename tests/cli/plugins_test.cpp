#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class PluginsTest : public CliTest {};

TEST_F(PluginsTest, ListsTypesByKind) {
  const ProgramResult r = run({"plugins", "list"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* type : {"material", "corotated", "forward_solver", "newton", "optimizer", "lbfgsb"})
    EXPECT_TRUE(contains(r.out, type)) << type;
  EXPECT_EQ(run({"plugins"}).out, r.out);
  const JsonValue v = JsonReader::read(run({"plugins", "list", "--json"}).out);
  std::size_t defaults = 0;
  for (const JsonValue& t : v.at("types").items) {
    EXPECT_FALSE(t.at("summary").text.empty()) << t.at("type").text;
    defaults += t.at("default").flag ? 1 : 0;
  }
  EXPECT_GE(v.at("types").items.size(), 10U);
  EXPECT_GE(defaults, 4U);
}

TEST_F(PluginsTest, ShowsTheParametersOfAType) {
  const ProgramResult r = run({"plugins", "show", "corotated"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "| `youngs_modulus`")) << r.out;
  EXPECT_TRUE(contains(r.out, "Pa")) << r.out;
  EXPECT_EQ(run({"plugins", "show", "material/corotated"}).out, r.out);
  const JsonValue v = JsonReader::read(run({"plugins", "show", "corotated", "--json"}).out);
  EXPECT_TRUE(v.at("types").at(0).at("schema").at("properties").has("youngs_modulus"));
}

TEST_F(PluginsTest, AnUnknownNameHasAHint) {
  const ProgramResult type = run({"plugins", "show", "corotatd"});
  EXPECT_EQ(type.code, 2);
  EXPECT_TRUE(contains(type.err, "did you mean 'corotated'?")) << type.err;
  const ProgramResult action = run({"plugins", "shw"});
  EXPECT_EQ(action.code, 2);
  EXPECT_TRUE(contains(action.err, "did you mean 'show'?")) << action.err;
}

TEST_F(PluginsTest, ChecksTheMaterialsOfTheProgram) {
  const ProgramResult r = run({"plugins", "check", RESILIN_PLUGIN_DIR "/materials.so", "--json"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const JsonValue v = JsonReader::read(r.out);
  EXPECT_EQ(v.at("failed").number, 0);
  bool has_stress = false;
  for (const JsonValue& c : v.at("checks").items) {
    EXPECT_TRUE(c.at("passed").flag) << c.at("type").text << ": " << c.at("check").text;
    has_stress =
        has_stress || (c.at("type").text == "material corotated" && contains(c.at("check").text, "stress"));
  }
  EXPECT_TRUE(has_stress);
}

TEST_F(PluginsTest, ALibraryThatCannotBeUsedIsRefused) {
  const ProgramResult bad = run({"plugins", "check", BAD_PLUGIN_DIR "/wrong_api.so"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(contains(bad.err, "built for another core")) << bad.err;
  EXPECT_EQ(run({"plugins", "check", "missing.so"}).code, 2);
}

TEST_F(PluginsTest, NewWritesAProjectAndSaysWhatIsNext) {
  const ProgramResult r = run({"plugins", "new", "material", "my_rubber"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "cmake -S my_rubber -B my_rubber/build")) << r.out;
  EXPECT_TRUE(contains(r.out, "resilin plugins check my_rubber/build/my_rubber.so")) << r.out;
  EXPECT_TRUE(exists("my_rubber/my_rubber.cpp"));
  EXPECT_EQ(run({"plugins", "new", "material", "my_rubber"}).code, 2) << "the folder is there already";
  EXPECT_EQ(run({"plugins", "new", "material", "other", "-o", "sub/folder"}).code, 0);
  EXPECT_TRUE(exists("sub/folder/other.cpp"));
}

TEST_F(PluginsTest, NewKnowsKindsAndNames) {
  const ProgramResult kind = run({"plugins", "new", "materal", "my_rubber"});
  EXPECT_EQ(kind.code, 2);
  EXPECT_TRUE(contains(kind.err, "did you mean 'material'?")) << kind.err;
  EXPECT_EQ(run({"plugins", "new", "material", "My-Rubber"}).code, 2);
  EXPECT_FALSE(exists("my_rubber"));
}

TEST_F(PluginsTest, TheReferenceManualIsUpToDate) {
  const std::string file = RESILIN_SOURCE_DIR "/configs/REFERENCE.md";
  const char* remedy = "write it anew: build/bin/resilin plugins reference > configs/REFERENCE.md";
  ASSERT_TRUE(std::filesystem::exists(file)) << remedy;
  const ProgramResult r = run({"plugins", "reference"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out == read_file(file)) << remedy;
}

}  // namespace
}  // namespace resilin

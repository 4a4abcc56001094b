#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class SchemaTest : public CliTest {};

/// Calls `action` for the target of every "$ref".
void for_each_reference(const JsonValue& v, const std::function<void(const std::string&)>& action) {
  for (const auto& [key, member] : v.members) {
    if (key == "$ref") action(member.text);
    for_each_reference(member, action);
  }
  for (const JsonValue& item : v.items) for_each_reference(item, action);
}

TEST_F(SchemaTest, IsJsonWithTheKeysOfScenesAndTasks) {
  const ProgramResult r = run({"schema"});
  ASSERT_EQ(r.code, 0) << r.err;
  const JsonValue v = JsonReader::read(r.out);
  EXPECT_EQ(v.at("$schema").text, "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(v.at("title").text, "Resilin scene or task");
  for (const char* key :
       {"extends", "name", "time", "bodies", "forward", "parameters", "losses", "optimizer"})
    EXPECT_TRUE(v.at("properties").has(key)) << key;
  EXPECT_FALSE(v.has("required")) << "an extended file may bring it";
  EXPECT_EQ(v.at("anyOf").at(1).at("required").at(0).text, "bodies");
  EXPECT_FALSE(v.at("additionalProperties").flag);
}

TEST_F(SchemaTest, EveryReferenceIsDefined) {
  const JsonValue v = JsonReader::read(run({"schema"}).out);
  std::size_t count = 0;
  for_each_reference(v, [&](const std::string& target) {
    const std::string prefix = "#/$defs/";
    ASSERT_EQ(target.rfind(prefix, 0), 0U) << target;
    EXPECT_TRUE(v.at("$defs").has(target.substr(prefix.size()))) << target;
    ++count;
  });
  EXPECT_GE(count, 6U);
  EXPECT_TRUE(contains(run({"schema"}).out, "\"corotated\""));
  EXPECT_TRUE(v.at("$defs").has("collider")) << "kinds that no key of a scene names yet are there too";
}

TEST_F(SchemaTest, TheReaderOfTheseTestsIsStrict) {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", "+1", "nul", "\"\\x\"",
                          "\"\n\"", "{\"a\":1,\"a\":2}", "1 2", "NaN"})
    EXPECT_THROW(JsonReader::read(bad), std::runtime_error) << bad;
  EXPECT_EQ(JsonReader::read(" {\"a\": [1.5e3, true, null, \"\\u0041\\n\"]} ").at("a").at(3).text, "A\n");
}

}  // namespace
}  // namespace resilin

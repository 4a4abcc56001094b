#include "tests/cli/program.hpp"

namespace resilin {
namespace {

const std::vector<std::string> kCommands = {"run",     "optimize", "gradcheck", "validate",
                                            "plugins", "schema",   "mesh"};

class UsageTest : public CliTest {};

TEST_F(UsageTest, SaysItsVersion) {
  const ProgramResult r = run({"--version"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out.rfind("resilin ", 0), 0U) << r.out;
  EXPECT_EQ(r.err, "");
}

TEST_F(UsageTest, HelpNamesEveryCommandWithAnExample) {
  const ProgramResult r = run({"--help"});
  EXPECT_EQ(r.code, 0);
  for (const std::string& command : kCommands) {
    EXPECT_TRUE(contains(r.out, "\n  " + command)) << command;
    EXPECT_TRUE(contains(r.out, "\n  resilin " + command)) << command;
  }
}

TEST_F(UsageTest, EveryCommandHasHelpWithAnExample) {
  for (const std::string& command : kCommands) {
    const ProgramResult r = run({command, "--help"});
    EXPECT_EQ(r.code, 0) << command;
    EXPECT_TRUE(contains(r.out, "usage: resilin " + command)) << r.out;
    EXPECT_TRUE(contains(r.out, "  resilin " + command)) << r.out;
    EXPECT_TRUE(contains(r.out, "--json")) << r.out;
  }
}

TEST_F(UsageTest, NothingAtAllShowsTheHelpAndFails) {
  const ProgramResult r = run({});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(contains(r.err, "usage: resilin COMMAND"));
}

TEST_F(UsageTest, UnknownCommandHasAHint) {
  const ProgramResult r = run({"optimise", "x.yaml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(contains(r.err, "unknown command 'optimise'; did you mean 'optimize'?")) << r.err;
}

TEST_F(UsageTest, UnknownOptionHasAHint) {
  const ProgramResult r = run({"run", "x.yaml", "--thread", "2"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.err, "unknown option '--thread'; did you mean '--threads'?")) << r.err;
}

TEST_F(UsageTest, OptionsWithoutOrWithAWrongValueAreRefused) {
  EXPECT_TRUE(contains(run({"run", "x.yaml", "--set"}).err, "--set needs a value: --set PATH=VALUE"));
  EXPECT_TRUE(contains(run({"run", "x.yaml", "--quiet=1"}).err, "--quiet takes no value"));
  EXPECT_TRUE(contains(run({"run", "x.yaml", "--threads", "two"}).err, "found 'two'"));
  EXPECT_TRUE(contains(run({"run", "x.yaml", "--threads=-1"}).err, "from 0 to 1024"));
  EXPECT_TRUE(contains(run({"run", "x.yaml", "--log-level", "inf"}).err, "no level 'inf'"));
  EXPECT_TRUE(contains(run({"gradcheck", "x.yaml", "--tolerance", "nan"}).err, "found 'nan'"));
  for (const auto& line : std::vector<std::vector<std::string>>{{"run", "x.yaml", "--set"},
                                                                {"run", "x.yaml", "--threads", "two"},
                                                                {"run"},
                                                                {"run", "a.yaml", "b.yaml"}})
    EXPECT_EQ(run(line).code, 2);
}

TEST_F(UsageTest, WrongNumberOfWordsShowsTheUsage) {
  EXPECT_TRUE(contains(run({"run"}).err, "usage: resilin run SCENE"));
  EXPECT_TRUE(contains(run({"schema", "x"}).err, "usage: resilin schema"));
}

TEST_F(UsageTest, WithJsonAnErrorIsAnObjectToo) {
  const ProgramResult r = run({"run", "missing.yaml", "--json"});
  EXPECT_EQ(r.code, 2);
  const JsonValue v = JsonReader::read(r.out);
  EXPECT_EQ(v.at("status").text, "error");
  EXPECT_EQ(v.at("error").text, "io");
  EXPECT_TRUE(contains(v.at("message").text, "missing.yaml"));
  EXPECT_TRUE(contains(r.err, "missing.yaml"));
}

TEST_F(UsageTest, AFullDiskForStandardOutputIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const int status =
      std::system((std::string(RESILIN_PROGRAM) + " --help > /dev/full 2> " + path("err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_TRUE(contains(read("err"), "cannot write to standard output"));
}

}  // namespace
}  // namespace resilin

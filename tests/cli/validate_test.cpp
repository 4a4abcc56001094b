#include "tests/cli/program.hpp"

namespace resilin {
namespace {

class ValidateTest : public CliTest {};

TEST_F(ValidateTest, GoodFilesAreOk) {
  write("scene.yaml", tiny_scene());
  write("task.yaml", tiny_task());
  const ProgramResult r = run({"validate", "scene.yaml", "task.yaml"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(r.out, "scene.yaml: ok\ntask.yaml: ok\n");
}

TEST_F(ValidateTest, AllMistakesAreListedWithPlaceAndHint) {
  write("bad.yaml",
        "name: bad\n"
        "time: {stepp: 0.01, steps: 1.5}\n"
        "bodies:\n"
        "  beam:\n"
        "    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}\n"
        "    density: -3\n"
        "    materials: [{type: corotatd}]\n");
  const ProgramResult r = run({"validate", "bad.yaml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(contains(r.out, "bad.yaml:2:8: ")) << r.out;
  EXPECT_TRUE(contains(r.out, "did you mean 'step'?")) << r.out;
  EXPECT_TRUE(contains(r.out, "bad.yaml:2:")) << r.out;
  EXPECT_TRUE(contains(r.out, "time.steps")) << r.out;
  EXPECT_TRUE(contains(r.out, "bad.yaml:6:14: bodies.beam.density")) << r.out;
  EXPECT_TRUE(contains(r.out, "bad.yaml:7:")) << r.out;
  EXPECT_TRUE(contains(r.out, "did you mean 'corotated'?")) << r.out;
}

TEST_F(ValidateTest, OneBadFileOfTwoIsEnough) {
  write("good.yaml", tiny_scene());
  write("bad.yaml", "bodies: 3\n");
  const ProgramResult r = run({"validate", "--json", "bad.yaml", "good.yaml", "missing.yaml"});
  EXPECT_EQ(r.code, 2);
  const JsonValue v = JsonReader::read(r.out);
  EXPECT_FALSE(v.at("ok").flag);
  ASSERT_EQ(v.at("files").items.size(), 3U);
  EXPECT_FALSE(v.at("files").at(0).at("ok").flag);
  EXPECT_TRUE(v.at("files").at(1).at("ok").flag);
  EXPECT_TRUE(v.at("files").at(1).at("errors").items.empty());
  EXPECT_TRUE(contains(v.at("files").at(2).at("errors").at(0).text, "missing.yaml"));
}

TEST_F(ValidateTest, WhatOnlyBuildingShowsIsFoundToo) {
  write("scene.yaml", tiny_scene());
  const std::string nowhere = "bodies.beam.pins[0].nodes.box={min: [5, 5, 5], max: [6, 6, 6]}";
  const ProgramResult built = run({"validate", "scene.yaml", "--set", nowhere});
  EXPECT_EQ(built.code, 2);
  EXPECT_TRUE(contains(built.out, "pins[0]")) << built.out;
  EXPECT_EQ(run({"validate", "--syntax-only", "scene.yaml", "--set", nowhere}).code, 0);
}

TEST_F(ValidateTest, AWrongOverrideIsAMistake) {
  write("scene.yaml", tiny_scene());
  const ProgramResult unknown = run({"validate", "scene.yaml", "--set", "time.stps=3"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.out, "--set time.stps=3")) << unknown.out;
  EXPECT_TRUE(contains(unknown.out, "did you mean 'steps'?")) << unknown.out;
  const ProgramResult missing =
      run({"run", "scene.yaml", "--set", "bodies.beam.materials[7].youngs_modulus=1"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(contains(missing.err, "materials[7]")) << missing.err;
}

TEST_F(ValidateTest, NothingIsWritten) {
  write("task.yaml", tiny_task());
  write("bad.yaml", "bodies: 3\n");
  EXPECT_EQ(run({"validate", "task.yaml", "bad.yaml"}).code, 2);
  EXPECT_EQ(run({"run", "bad.yaml"}).code, 2);
  EXPECT_EQ(run({"optimize", "bad.yaml"}).code, 2);
  EXPECT_EQ(run({"run", "task.yaml", "--set", "name=a/b"}).code, 2);
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "task.yaml" || name == "bad.yaml" || name[0] == '.') << name;
  }
}

}  // namespace
}  // namespace resilin

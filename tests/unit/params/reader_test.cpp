#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

TEST(Reader, ReadsEveryKindOfParameter) {
  const auto o = read_text<Everything>(R"(
name: 12
enabled: false
limit: 1e3
gravity: [0, 1, -2.5]
mode: exact
knots: [1, 2.5]
ids: [3, 4]
plugins: [a, "b c"]
outputs: [obj, vtu]
time: {step: 0.5, steps: 10}
record: {weight: 2}
forward: {type: newton, tolerance: 1e-3}
materials:
  - neo_hookean
  - {type: neo_hookean, nu: 0.1}
forces: {left: {type: push, strength: 3}}
losses: [{weight: 1, label: x}, {}]
bodies: {beam: {weight: 4}, ball: }
set: {"a[0].b": 1e6, c: [1, 'x'], d: "1"}
)");
  EXPECT_EQ(o.name, "12");
  EXPECT_FALSE(o.enabled);
  EXPECT_EQ(o.limit, 1000);
  EXPECT_EQ(o.gravity, Vec3(0, 1, -2.5));
  EXPECT_EQ(o.mode, "exact");
  ASSERT_EQ(o.knots.size(), 2);
  EXPECT_EQ(o.knots[1], 2.5);
  EXPECT_EQ(o.ids, (std::vector<Index>{3, 4}));
  EXPECT_EQ(o.plugins, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(o.outputs, (std::vector<std::string>{"obj", "vtu"}));
  EXPECT_EQ(o.time.step, 0.5);
  EXPECT_EQ(o.time.steps, 10);
  EXPECT_TRUE(o.has_record);
  EXPECT_EQ(o.record.weight, 2);
  EXPECT_EQ(dynamic_cast<Holder<Newton>&>(*o.forward.options).value.tolerance, 1e-3);
  ASSERT_EQ(o.materials.size(), 2U);
  EXPECT_EQ(dynamic_cast<Holder<NeoHookean>&>(*o.materials[1].options).value.poissons_ratio, 0.1);
  EXPECT_EQ(o.materials[1].path, "materials[1]");
  EXPECT_EQ(to_string(o.materials[1].place), "scene.yaml:16:5");
  ASSERT_EQ(o.forces.size(), 1U);
  EXPECT_EQ(o.forces[0].second.path, "forces.left");
  EXPECT_EQ(dynamic_cast<Holder<Needy>&>(*o.forces[0].second.options).value.strength, 3);
  ASSERT_EQ(o.losses.size(), 2U);
  EXPECT_EQ(o.losses[0].label, "x");
  ASSERT_EQ(o.bodies.size(), 2U);
  EXPECT_EQ(o.bodies[0].first, "beam");
  EXPECT_EQ(o.bodies[0].second.weight, 4);
  ASSERT_EQ(o.set.size(), 3U);
  EXPECT_EQ(o.set[0], (std::pair<std::string, std::string>("a[0].b", "1e6")));
  EXPECT_EQ(o.set[1].second, "[1, \"x\"]");
  EXPECT_EQ(o.set[2].second, "\"1\"");
}

TEST(Reader, LeavesDefaultsWhereTheFileSaysNothing) {
  const auto o = read_text<Everything>("");
  EXPECT_TRUE(o.enabled);
  EXPECT_EQ(o.gravity, Vec3(0, 0, -9.81));
  EXPECT_FALSE(o.has_record);
  EXPECT_EQ(o.time.steps, 100);
  EXPECT_EQ(o.forward.type, "newton");
  const auto& newton = dynamic_cast<Holder<Newton>&>(*o.forward.options).value;
  EXPECT_EQ(newton.tolerance, 1e-8);
  EXPECT_EQ(newton.linear_solver.type, "cholesky");
  EXPECT_EQ(newton.linear_solver.path, "forward.linear_solver");
}

TEST(Reader, UnknownKeysAreNamedWithPlacePathAndSuggestion) {
  EXPECT_EQ(read_error<Everything>("materials:\n  - type: neo_hookean\n    youngs_modulos: 1\n"),
            "scene.yaml:3:5: unknown key 'youngs_modulos' in materials[0]; did you mean 'youngs_modulus'? "
            "(known: youngs_modulus, E, poissons_ratio, nu)");
  EXPECT_EQ(read_error<Entry>("wieght: 1\n"),
            "scene.yaml:1:1: unknown key 'wieght'; did you mean 'weight'? (known: weight, label)");
}

TEST(Reader, UnknownTypesAreNamedWithTheKnownOnes) {
  EXPECT_EQ(read_error<Everything>("materials:\n  - type: neo_hokean\n    anything: 1\n"),
            "scene.yaml:2:11: materials[0]: unknown material 'neo_hokean'; did you mean 'neo_hookean'? "
            "(known: neo_hookean, rigid)");
  EXPECT_EQ(
      read_error<Everything>("forward: newtn\n"),
      "scene.yaml:1:10: forward: unknown forward 'newtn'; did you mean 'newton'? (known: explicit, newton)");
  EXPECT_NE(read_error<Everything>("materials: [{nu: 0.1}]\n")
                .find("missing 'type', the type of the material (known:"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("forward: [newton]\n").find("expected a forward"), std::string::npos);
  EXPECT_NE(read_error<Everything>("forward:\n").find("expected a forward"), std::string::npos);
}

TEST(Reader, AMapWithoutTypeIsOfTheDefaultType) {
  const auto o = read_text<Everything>("forward: {tolerance: 0.5}\n");
  EXPECT_EQ(o.forward.type, "newton");
  EXPECT_EQ(dynamic_cast<Holder<Newton>&>(*o.forward.options).value.tolerance, 0.5);
}

TEST(Reader, NumbersOutOfRangeGiveValueUnitAndRange) {
  EXPECT_EQ(read_error<Time>("step: -2\n"), "scene.yaml:1:7: step: -2 s is outside of the range (0, inf) s");
  EXPECT_EQ(read_error<Time>("step: 0\n"), "scene.yaml:1:7: step: 0 s is outside of the range (0, inf) s");
  EXPECT_EQ(read_error<Time>("steps: 1001\n"),
            "scene.yaml:1:8: steps: 1001 is outside of the range [1, 1000]");
  EXPECT_EQ(read_text<Time>("steps: 1000\nstep: 0.01\n").steps, 1000);
  EXPECT_EQ(read_error<Everything>("gravity: [0, 200, 0]\n"),
            "scene.yaml:1:14: gravity[1]: 200 m/s^2 is outside of the range [-100, 100] m/s^2");
}

TEST(Reader, OneNumberIsAListOfOne) {
  const auto o = read_text<Everything>("knots: 2.5");
  ASSERT_EQ(o.knots.size(), 1);
  EXPECT_EQ(o.knots[0], 2.5);
}

TEST(Reader, NoSpecialOrQuotedNumbers) {
  for (const char* text : {".nan", ".inf", "-.inf", "nan", "inf", "+Infinity"}) {
    EXPECT_NE(read_error<Entry>(std::string("weight: ") + text).find("expected a finite number, got"),
              std::string::npos)
        << text;
  }
  for (const char* text : {"\"1\"", "1x", "0x10", "1_000", "1,5", "--1", "[1]", "{a: 1}", "true", ""}) {
    EXPECT_NE(read_error<Entry>(std::string("weight: ") + text).find("weight: expected a number, got"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(read_error<Entry>("weight: 1e400").find("that a double can hold"), std::string::npos);
  EXPECT_EQ(read_text<Entry>("weight: +1.5e-3").weight, 1.5e-3);
  EXPECT_EQ(read_text<Entry>("weight: .5").weight, 0.5);
}

TEST(Reader, IntegersAreWhole) {
  EXPECT_EQ(read_error<Time>("steps: 1.5\n"), "scene.yaml:1:8: steps: expected an integer, got '1.5'");
  EXPECT_NE(read_error<Time>("steps: 99999999999999999999\n").find("64 bits"), std::string::npos);
  EXPECT_NE(read_error<Time>("steps: '5'\n").find("quotes make it text"), std::string::npos);
  EXPECT_EQ(read_text<Time>("steps: 1e2\n").steps, 100);
}

TEST(Reader, FlagsAreTrueOrFalse) {
  for (const char* text : {"yes", "on", "True", "1", "'true'", "[true]"}) {
    EXPECT_NE(read_error<Everything>(std::string("enabled: ") + text)
                  .find("enabled: expected true or false (in these words only, not yes, no, on or off)"),
              std::string::npos)
        << text;
  }
}

TEST(Reader, WordsAndLists) {
  EXPECT_EQ(read_error<Everything>("mode: fst\n"),
            "scene.yaml:1:7: mode: unknown value 'fst'; did you mean 'fast'? (known: fast, exact)");
  EXPECT_EQ(read_text<Everything>("outputs: vtu\n").outputs, (std::vector<std::string>{"vtu"}));
  EXPECT_NE(
      read_error<Everything>("outputs: [vtu, x]\n").find("scene.yaml:1:16: outputs[1]: unknown value 'x'"),
      std::string::npos);
  EXPECT_NE(read_error<Everything>("plugins: a\n").find("expected a list of texts, got 'a'"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("ids: [1, -1]\n").find("ids[1]: -1 is outside"), std::string::npos);
  EXPECT_NE(read_error<Everything>("gravity: [1, 2]\n")
                .find("expected a list of 3 numbers in m/s^2, got a list of 2"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("losses: {a: 1}\n").find("expected a list of maps, got a map"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("losses: [3]\n").find("losses[0]: expected a map of parameters, got '3'"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("bodies: [a]\n").find("expected a map from names to entries"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("bodies: {a.b: {}}\n").find("name 'a.b' must consist of letters"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("time: 3\n").find("time: expected a map of parameters"),
            std::string::npos);
  EXPECT_NE(read_error<Everything>("[1]").find("expected a map of parameters, got a list of 1"),
            std::string::npos);
  EXPECT_TRUE(read_text<Everything>("losses:\nbodies:\nmaterials:\nids:\nknots:\n").losses.empty());
}

TEST(Reader, EitherNameButNotBoth) {
  const auto o = read_text<NeoHookean>("E: 5\n");
  EXPECT_EQ(o.youngs_modulus.at(0, 0), 5);
  EXPECT_EQ(read_error<NeoHookean>("youngs_modulus: 1\nE: 2\n"),
            "scene.yaml:2:1: 'youngs_modulus' and 'E' are two names of the same parameter; give only one");
}

TEST(Reader, RequiredKeysAreAskedForWithMeaningAndUnit) {
  EXPECT_EQ(read_error<Everything>("forces:\n  left: push\n"),
            "scene.yaml:2:9: forces.left: missing required key 'strength' (how strong, N)");
  EXPECT_EQ(read_error<Everything>("forces:\n  left: {type: push}\n"),
            "scene.yaml:2:3: forces.left: missing required key 'strength' (how strong, N)");
  // A default-made component asks for what it needs at the place of the map that lacks it.
  struct Outer {
    ComponentSpec force;
    void visit(ParamVisitor& v) { v.component("force", "force", force, {.doc = "f"}); }
  };
  EXPECT_EQ(read_error<Outer>("{}"),
            "scene.yaml:1:1: force: missing required key 'strength' (how strong, N)");
}

TEST(Reader, RequiredSectionsAndComponents) {
  struct Outer {
    Needy inner;
    Needy given;
    ComponentSpec forward;
    void visit(ParamVisitor& v) {
      v.section("inner", inner, {.doc = "inner map"});
      v.section("given", given, {.doc = "given map", .required = true});
      v.component("forward", "forward", forward, {.doc = "solver", .required = true});
    }
  };
  const std::string error = read_error<Outer>("{}");
  EXPECT_NE(error.find("inner: missing required key 'strength'"), std::string::npos) << error;
  EXPECT_NE(error.find("missing required key 'given' (given map)"), std::string::npos) << error;
  EXPECT_NE(error.find("missing required key 'forward' (solver)"), std::string::npos) << error;
  EXPECT_EQ(count_of(error, "strength"), 1U);
}

TEST(Reader, AllMistakesTogetherInTheOrderOfTheFile) {
  const std::string error =
      read_error<Everything>("zzz: 1\ntime:\n  steps: x\n  step: -1\nmode: 3\nbodies: {a: {weight: y}}\n");
  EXPECT_EQ(count_of(error, "\n"), 4U) << error;
  std::size_t last = 0;
  for (const char* place :
       {"scene.yaml:1:1", "scene.yaml:3:10", "scene.yaml:4:9", "scene.yaml:5:7", "scene.yaml:6:22"}) {
    const std::size_t at = error.find(place);
    ASSERT_NE(at, std::string::npos) << place << "\n" << error;
    EXPECT_GE(at, last);
    last = at;
  }
}

TEST(Reader, RulesOverSeveralParametersComeLast) {
  EXPECT_EQ(read_error<Everything>("time: {step: 1, steps: 101}\n"),
            "scene.yaml:1:1: time: step * steps must not exceed 100 s");
  // With a wrong value in the same map the rule has nothing to say.
  const std::string error = read_error<Everything>("time: {step: 50, steps: x}\n");
  EXPECT_EQ(error.find("exceed"), std::string::npos) << error;
  // A mistake elsewhere does not silence it.
  EXPECT_NE(read_error<Everything>("mode: x\ntime: {step: 1, steps: 101}\n").find("exceed"),
            std::string::npos);
}

TEST(Reader, OverridesAreThePlaceOfTheirMistakes) {
  EXPECT_EQ(read_error<Everything>("time: {}\n", {"time.step=-1"}),
            "--set time.step=-1: time.step: -1 s is outside of the range (0, inf) s");
  EXPECT_EQ(read_text<Everything>("materials: [neo_hookean]\n", nullptr).materials.size(), 1U);
  const auto o = read_text<Everything>("materials: [neo_hookean]\n", nullptr, {"materials[0].nu=0.25"});
  EXPECT_EQ(dynamic_cast<Holder<NeoHookean>&>(*o.materials[0].options).value.poissons_ratio, 0.25);
}

TEST(Reader, PlacesOfEverythingGiven) {
  PlaceMap places;
  read_text<Everything>(
      "time:\n  step: 0.5\nmaterials:\n  - type: neo_hookean\n    E: 3\nbodies:\n  beam:\n    weight: "
      "1\nids: [1, 2]\n",
      &places);
  EXPECT_EQ(to_string(places.at("time")), "scene.yaml:1:1");
  EXPECT_EQ(to_string(places.at("time.step")), "scene.yaml:2:9");
  EXPECT_EQ(to_string(places.at("materials[0]")), "scene.yaml:4:5");
  EXPECT_EQ(to_string(places.at("materials[0].type")), "scene.yaml:4:11");
  EXPECT_EQ(to_string(places.at("materials[0].youngs_modulus")), "scene.yaml:5:8");
  EXPECT_EQ(to_string(places.at("bodies.beam")), "scene.yaml:7:3");
  EXPECT_EQ(to_string(places.at("bodies.beam.weight")), "scene.yaml:8:13");
  EXPECT_EQ(to_string(places.at("ids[1]")), "scene.yaml:9:10");
  EXPECT_EQ(places.count("gravity"), 0U);
}

TEST(Reader, PathsAreRelativeToTheFileThatNamesThem) {
  const TempFolder folder;
  const std::string mesh = folder.write("sub/a.obj", "");
  folder.write("sub/base.yaml", "mesh: a.obj\n");
  const TreeNode tree = load_tree(folder.write("scene.yaml", "extends: sub/base.yaml\n"));
  const auto read = [](const TreeNode& node) {
    Everything o;
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        node, [&](ParamVisitor& v) { o.visit(v); }, FakeCatalog(), diagnostics, places);
    diagnostics.throw_if_any();
    return o.mesh;
  };
  EXPECT_EQ(read(tree), mesh);
  // From the command line they start in the current folder, wherever the scene lies.
  TreeNode other = tree;
  apply_override(other, "mesh=a.obj");
  EXPECT_NE(
      error_of([&] { read(other); }).find("'" + (std::filesystem::current_path() / "a.obj").string() + "'"),
      std::string::npos);
  apply_override(other, "mesh=" + mesh);
  EXPECT_EQ(read(other), mesh);
  apply_override(other, "mesh=\"\"");
  EXPECT_EQ(read(other), "");
  apply_override(other, "mesh=" + folder.path("sub"));
  EXPECT_NE(error_of([&] { read(other); }).find("is a folder, expected a file"), std::string::npos);
  apply_override(other, "mesh=\"a\\0b\"");
  EXPECT_NE(error_of([&] { read(other); }).find("zero byte"), std::string::npos);
}

TEST(Reader, IgnoredKeysAndPrefix) {
  Entry o;
  Diagnostics diagnostics;
  PlaceMap places;
  const TreeNode tree = parse_tree("weight: x\nkind: 3\nother: 1\n", "s");
  read_options(tree, [&](ParamVisitor& v) { o.visit(v); }, FakeCatalog(), diagnostics, places, "a.b",
               {"kind"});
  const std::string error = error_of([&] { diagnostics.throw_if_any(); });
  EXPECT_NE(error.find("a.b.weight: expected a number"), std::string::npos) << error;
  EXPECT_NE(error.find("unknown key 'other' in a.b"), std::string::npos) << error;
  EXPECT_EQ(error.find("kind"), std::string::npos) << error;
  EXPECT_EQ(places.count("a.b"), 1U);
}

TEST(Reader, ADefaultThatContainsItselfIsRefused) {
  EXPECT_NE(read_error<Nested>("{}").find("the default endless 'nested' contains itself"), std::string::npos);
}

TEST(Reader, KeysWithLineEndsStayOnOneLine) {
  const std::string error = read_error<Entry>("\"a\\nb\": 1\n");
  EXPECT_EQ(count_of(error, "\n"), 0U);
  EXPECT_NE(error.find("unknown key 'a\\nb'"), std::string::npos) << error;
}

}  // namespace
}  // namespace resilin::test

#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace resilin::test {
namespace {

template <class O>
std::string dump(O& options) {
  return dump_yaml([&](ParamVisitor& v) { options.visit(v); });
}

/// Dumps, reads and dumps again.
template <class O>
O round_trip(O& options) {
  const std::string text = dump(options);
  O again = read_text<O>(text);
  EXPECT_TRUE(dump(again) == text);
  return again;
}

TEST(Dump, IsReadableYaml) {
  Everything o = read_text<Everything>(
      "time: {step: 0.1}\nmaterials: [rigid, {type: neo_hookean, nu: 0.1}]\nbodies: {beam: {label: "
      "x}}\nlosses: [{}]\nforward: explicit\n");
  o.time.steps = 7;
  const std::string text = dump(o);
  EXPECT_NE(text.find("time:\n  step: 0.1\n  steps: 7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("materials:\n  - type: rigid\n  - type: neo_hookean\n    youngs_modulus: 1000000\n    "
                      "poissons_ratio: 0.1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bodies:\n  beam:\n    weight: 1\n    label: x\n"), std::string::npos) << text;
  EXPECT_NE(text.find("losses:\n  - weight: 1\n    label: \"\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("forces: {}\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("limit"), std::string::npos) << "infinity cannot be read";
  EXPECT_EQ(text.find("record"), std::string::npos);
}

TEST(Dump, RealsKeepTheirBits) {
  std::mt19937_64 random(3);
  std::vector<double> values = {0.1,
                                1e-300,
                                1e300,
                                -0.0,
                                5e-324,
                                1.0 / 3.0,
                                123456789012345680.0,
                                2.2250738585072014e-308,
                                std::numeric_limits<double>::max()};
  while (values.size() < 2000) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  auto o = read_text<Everything>("");
  o.knots = Eigen::Map<VecX>(values.data(), static_cast<Index>(values.size()));
  const Everything again = round_trip(o);
  ASSERT_EQ(again.knots.size(), o.knots.size());
  for (Index i = 0; i < o.knots.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(again.knots[i]), std::bit_cast<std::uint64_t>(o.knots[i]))
        << o.knots[i];
  }
  Entry entry;
  for (const double value : values) {
    entry.weight = value;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read_text<Entry>(dump(entry)).weight),
              std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Dump, TextsKeepTheirLetters) {
  for (const char* text : {"",
                           "plain",
                           "two words",
                           "1",
                           "1e6",
                           "true",
                           "null",
                           "~",
                           "no",
                           ".inf",
                           "a: b",
                           "a #b",
                           "- x",
                           "[x]",
                           "{x",
                           "'q'",
                           "\"q\"",
                           "back\\slash",
                           "line\nend\n",
                           "tab\there",
                           " blank ",
                           "*a",
                           "&a",
                           "!t",
                           "|",
                           ">",
                           "%",
                           "@",
                           "`",
                           "?",
                           ":",
                           "-",
                           "---",
                           "...",
                           "=",
                           "<<",
                           "\r\n",
                           "\x01\x1f\x7f",
                           "\xc3\xa9\xe2\x80\xa8",
                           "/a/b-c.d",
                           "NULL",
                           "a,b",
                           "extends",
                           "'",
                           "\"",
                           "\\n"}) {
    Entry entry;
    entry.label = text;
    EXPECT_EQ(read_text<Entry>(dump(entry)).label, text) << dump(entry);
    auto o = read_text<Everything>("");
    o.plugins = {text, text};
    o.bodies.emplace_back("beam", entry);
    const Everything again = round_trip(o);
    EXPECT_EQ(again.plugins, o.plugins);
    EXPECT_EQ(again.bodies[0].second.label, text);
  }
  Entry entry;
  entry.label = std::string("a\0b", 3);
  EXPECT_EQ(read_text<Entry>(dump(entry)).label, entry.label);
}

TEST(Dump, FieldsKeepTheirForm) {
  for (const char* text : {"stiffness: 2", "stiffness: [0.1, 2, 3]", "stiffness: {steps: [1, 2]}",
                           "stiffness: {steps: [[1, 2], [3, 4]]}", "wind: [1, 2, 3]",
                           "wind: [[1, 2, 3], [4, 5, 6]]", "wind: {steps: [[1, 2, 3], [4, 5, 6]]}",
                           "wind: {steps: [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [0, 0, 0.1]]]}"}) {
    Everything o = read_text<Everything>(text);
    const Everything again = round_trip(o);
    for (const auto& [a, b] : {std::pair(&o.stiffness, &again.stiffness), std::pair(&o.wind, &again.wind)}) {
      EXPECT_EQ(a->items, b->items) << text;
      EXPECT_EQ(a->steps, b->steps) << text;
      EXPECT_EQ(a->components, b->components) << text;
      EXPECT_EQ(a->values, b->values) << text;
    }
  }
}

TEST(Dump, LongListsAreWrapped) {
  auto o = read_text<Everything>("");
  o.stiffness.items = 5000;
  o.stiffness.values = VecX::LinSpaced(5000, 0, 1);
  o.wind.items = 300;
  o.wind.steps = 2;
  o.wind.values = VecX::LinSpaced(1800, -1, 1);
  const std::string text = dump(o);
  std::size_t longest = 0;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    longest = std::max(longest, end - start);
    start = end + 1;
  }
  EXPECT_LT(longest, 130U);
  const Everything again = round_trip(o);
  EXPECT_EQ(again.stiffness.values, o.stiffness.values);
  EXPECT_EQ(again.wind.values, o.wind.values);
}

TEST(Dump, ComponentsAndListsComeBack) {
  Everything o = read_text<Everything>(R"(
record: {}
forward: {type: newton, tolerance: 0.25, linear_solver: cholesky}
materials: [rigid, {type: neo_hookean, E: [1, 2]}]
forces: {left: {type: push, strength: 2}, right: {type: push, strength: 3}}
losses: [{weight: 2}, {label: "a: b"}]
outputs: [vtu]
ids: [0, 9223372036854775807]
set: {"a[0].b": 1e6, "c": [1, "1", {x: null}], d: "x, y", e: "1", f: x y, g: true}
)");
  const Everything again = round_trip(o);
  EXPECT_TRUE(again.has_record);
  EXPECT_EQ(again.ids[1], 9223372036854775807);
  EXPECT_EQ(again.forces[1].first, "right");
  EXPECT_EQ(dynamic_cast<Holder<Needy>&>(*again.forces[1].second.options).value.strength, 3);
  EXPECT_EQ(again.set, o.set);
  EXPECT_EQ(again.set[1].second, "[1, \"1\", {x: null}]");
  EXPECT_EQ(again.losses[1].label, "a: b");
}

TEST(Dump, EmptyListsReplaceDefaultOnes) {
  struct Preset {
    std::vector<Index> ids = {1, 2};
    std::vector<Entry> losses = std::vector<Entry>(2);
    NamedList<Entry> bodies = {{"a", Entry{}}};
    VecX knots = VecX::Ones(3);
    void visit(ParamVisitor& v) {
      v.integers("ids", ids, {.doc = "i"});
      v.list("losses", losses, {.doc = "l"});
      v.map("bodies", bodies, {.doc = "b"});
      v.numbers("knots", knots, {.doc = "k"});
    }
  };
  Preset o;
  o.ids.clear();
  o.losses.clear();
  o.bodies.clear();
  o.knots.resize(0);
  EXPECT_EQ(dump(o), "ids: []\nlosses: []\nbodies: {}\nknots: []\n");
  const Preset again = round_trip(o);
  EXPECT_TRUE(again.ids.empty() && again.losses.empty() && again.bodies.empty());
  EXPECT_EQ(again.knots.size(), 0);
}

TEST(Dump, WhatNoFileCanSayIsLeftOutOrRefused) {
  Entry entry;
  entry.weight = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(dump(entry), "label: \"\"\n");
  Empty empty;
  EXPECT_EQ(dump(empty), "{}\n");
  auto o = read_text<Everything>("");
  o.knots = VecX::Constant(1, std::numeric_limits<double>::infinity());
  try {
    dump(o);
    FAIL() << "expected an Error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Numerics);
    EXPECT_NE(std::string(e.what()).find("'knots' holds inf"), std::string::npos);
  }
}

TEST(Dump, PathsComeBackFromAnotherFolder) {
  const TempFolder folder;
  const std::string mesh = folder.write("a.obj", "");
  folder.write("scene.yaml", "mesh: a.obj\n");
  const auto read = [](const std::string& file) {
    auto o = read_text<Everything>("");
    Diagnostics diagnostics;
    PlaceMap places;
    read_options(
        load_tree(file), [&](ParamVisitor& v) { o.visit(v); }, FakeCatalog(), diagnostics, places);
    diagnostics.throw_if_any();
    return o;
  };
  Everything o = read(folder.path("scene.yaml"));
  EXPECT_EQ(read(folder.write("out/resolved.yaml", dump(o))).mesh, mesh);
}

}  // namespace
}  // namespace resilin::test

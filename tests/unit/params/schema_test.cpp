#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

template <class O>
std::string schema(O options = {}) {
  return json_schema([&](ParamVisitor& v) { options.visit(v); }, FakeCatalog());
}

/// JSON is nearly YAML, so the scene parser can read it: good enough to walk through a schema.
TreeNode parse(const std::string& json) {
  return parse_tree(json, "schema.json");
}

/// The node at "a/b/0/c".
const TreeNode& at(const TreeNode& root, const std::string& path) {
  static const TreeNode nothing;
  const TreeNode* node = &root;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string step = path.substr(start, end - start);
    if (node->kind == TreeNode::Kind::Sequence) {
      const std::size_t index = std::stoul(step);
      node = index < node->items.size() ? &node->items[index] : nullptr;
    } else {
      node = node->find(step);
    }
    if (node == nullptr) {
      ADD_FAILURE() << "no " << step << " in " << path;
      return nothing;
    }
    start = end + 1;
  }
  return *node;
}

std::string scalar(const TreeNode& root, const std::string& path) {
  return at(root, path).scalar;
}

TEST(Schema, NumbersSayRangeUnitDefaultAndMeaning) {
  const TreeNode root = parse(schema<Time>());
  EXPECT_EQ(scalar(root, "type"), "object");
  EXPECT_EQ(scalar(root, "additionalProperties"), "false");
  EXPECT_EQ(scalar(root, "properties/step/type"), "number");
  EXPECT_EQ(scalar(root, "properties/step/exclusiveMinimum"), "0");
  EXPECT_EQ(scalar(root, "properties/step/x-unit"), "s");
  EXPECT_EQ(scalar(root, "properties/step/default"), "0.01");
  EXPECT_EQ(scalar(root, "properties/step/description"), "length of a step");
  EXPECT_EQ(scalar(root, "properties/steps/type"), "integer");
  EXPECT_EQ(scalar(root, "properties/steps/minimum"), "1");
  EXPECT_EQ(scalar(root, "properties/steps/maximum"), "1000");
  EXPECT_EQ(root.find("required"), nullptr);
}

TEST(Schema, RequiredKeysAndSectionsThatHoldThem) {
  struct Outer {
    Needy inner;
    Time time;
    void visit(ParamVisitor& v) {
      v.section("inner", inner, {.doc = "inner map"});
      v.section("time", time, {.doc = "time"});
    }
  };
  const TreeNode root = parse(schema<Outer>());
  ASSERT_EQ(at(root, "required").items.size(), 1U);
  EXPECT_EQ(scalar(root, "required/0"), "inner");
  EXPECT_EQ(scalar(root, "properties/inner/required/0"), "strength");
  EXPECT_EQ(scalar(root, "properties/inner/description"), "inner map");
  EXPECT_EQ(at(root, "properties/inner/properties/strength").find("default"), nullptr);
}

TEST(Schema, AliasesExcludeEachOther) {
  const TreeNode optional = parse(schema<NeoHookean>());
  EXPECT_EQ(scalar(optional, "properties/E/description"), "stiffness");
  EXPECT_EQ(scalar(optional, "allOf/0/not/required/0"), "youngs_modulus");
  EXPECT_EQ(scalar(optional, "allOf/0/not/required/1"), "E");
  struct Must {
    double density = 0;
    void visit(ParamVisitor& v) {
      v.real("density", density, {.doc = "d", .required = true, .alias = "rho"});
    }
  };
  const TreeNode must = parse(schema<Must>());
  EXPECT_EQ(scalar(must, "allOf/0/oneOf/0/required/0"), "density");
  EXPECT_EQ(scalar(must, "allOf/0/oneOf/1/required/0"), "rho");
  EXPECT_EQ(must.find("required"), nullptr);
}

TEST(Schema, EveryKindOfParameter) {
  const TreeNode root = parse(schema<Everything>());
  const auto get = [&](const std::string& path) { return scalar(root, "properties/" + path); };
  EXPECT_EQ(get("enabled/type"), "boolean");
  EXPECT_EQ(get("mode/enum/1"), "exact");
  EXPECT_EQ(get("mode/default"), "fast");
  EXPECT_EQ(at(root, "properties/limit").find("default"), nullptr);
  EXPECT_EQ(get("gravity/minItems"), "3");
  EXPECT_EQ(get("gravity/items/maximum"), "100");
  EXPECT_EQ(get("ids/items/type"), "integer");
  EXPECT_EQ(get("outputs/anyOf/1/items/enum/0"), "vtu");
  EXPECT_EQ(get("stiffness/anyOf/0/minimum"), "0");
  EXPECT_EQ(get("stiffness/default"), "0.1");
  EXPECT_EQ(get("stiffness/anyOf/2/properties/steps/type"), "array");
  EXPECT_EQ(get("stiffness/anyOf/3/properties/per/enum/1"), "step");
  EXPECT_EQ(get("wind/anyOf/1/items/maxItems"), "3");
  EXPECT_EQ(get("time/properties/step/type"), "number");
  EXPECT_EQ(get("record/properties/weight/type"), "number");
  EXPECT_EQ(get("forward/$ref"), "#/$defs/forward");
  EXPECT_EQ(get("forward/default"), "newton");
  EXPECT_EQ(get("materials/items/$ref"), "#/$defs/material");
  EXPECT_EQ(get("forces/additionalProperties/$ref"), "#/$defs/force");
  EXPECT_EQ(get("losses/items/properties/weight/type"), "number");
  EXPECT_EQ(get("bodies/additionalProperties/properties/label/description"), "for plots");
  EXPECT_EQ(get("set/type"), "object");
}

TEST(Schema, DefinitionsHoldTypesAndTheKindsTheyUse) {
  const TreeNode root = parse(json_schema_definitions(FakeCatalog(), {"forward", "material"}));
  // linear_solver comes in through the options of newton.
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(scalar(root, "material/oneOf/0/enum/0"), "neo_hookean");
  EXPECT_EQ(scalar(root, "material/oneOf/1/properties/type/const"), "neo_hookean");
  EXPECT_EQ(scalar(root, "material/oneOf/1/properties/type/description"), "about neo_hookean");
  EXPECT_EQ(scalar(root, "material/oneOf/1/required/0"), "type");
  EXPECT_EQ(scalar(root, "material/oneOf/2/properties/type/const"), "rigid");
  // The default type of a kind need not be named.
  EXPECT_EQ(scalar(root, "forward/oneOf/2/properties/type/const"), "newton");
  EXPECT_EQ(at(root, "forward/oneOf/2").find("required"), nullptr);
  EXPECT_EQ(scalar(root, "forward/oneOf/2/properties/linear_solver/$ref"), "#/$defs/linear_solver");
  EXPECT_EQ(scalar(root, "linear_solver/oneOf/0/enum/0"), "cholesky");
}

TEST(Schema, KindsThatContainThemselvesEnd) {
  const TreeNode root = parse(json_schema_definitions(FakeCatalog(), {"endless"}));
  EXPECT_EQ(scalar(root, "endless/oneOf/1/properties/inner/$ref"), "#/$defs/endless");
  const TreeNode none = parse(json_schema_definitions(FakeCatalog(), {"unheard_of"}));
  EXPECT_EQ(at(none, "unheard_of/not").kind, TreeNode::Kind::Map);
}

TEST(Schema, TextIsEscaped) {
  struct Odd {
    std::string value = "a\"b\\c\n\x01";
    void visit(ParamVisitor& v) { v.text("value", value, {.doc = "says \"this\""}); }
  };
  const std::string text = schema<Odd>();
  EXPECT_NE(text.find(R"("default": "a\"b\\c\n\u0001")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("description": "says \"this\"")"), std::string::npos) << text;
}

}  // namespace
}  // namespace resilin::test

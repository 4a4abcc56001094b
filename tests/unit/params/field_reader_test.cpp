#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

struct Fields {
  Field scalar{1.0};
  Field vector{Vec3(1, 2, 3)};
  void visit(ParamVisitor& v) {
    v.field("scalar", scalar, {.doc = "s", .unit = "Pa", .min = 0});
    v.field("vector", vector, {.doc = "v", .max = 100});
  }
};

VecX list(std::initializer_list<double> values) {
  VecX out(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

void expect_field(const Field& f, Index items, Index steps, const VecX& values) {
  EXPECT_EQ(f.items, items);
  EXPECT_EQ(f.steps, steps);
  ASSERT_EQ(f.values.size(), values.size());
  EXPECT_EQ(f.values, values);
}

TEST(FieldReader, ScalarForms) {
  expect_field(read_text<Fields>("scalar: 5").scalar, 1, 1, list({5}));
  expect_field(read_text<Fields>("scalar: [5]").scalar, 1, 1, list({5}));
  expect_field(read_text<Fields>("scalar: [1, 2, 3]").scalar, 3, 1, list({1, 2, 3}));
  expect_field(read_text<Fields>("scalar: {steps: [1, 2]}").scalar, 1, 2, list({1, 2}));
  expect_field(read_text<Fields>("scalar: {steps: [[1, 2], [3, 4], [5, 6]]}").scalar, 2, 3,
               list({1, 2, 3, 4, 5, 6}));
  // One value for all items in some steps, a list in others.
  expect_field(read_text<Fields>("scalar: {steps: [7, [3, 4]]}").scalar, 2, 2, list({7, 7, 3, 4}));
}

TEST(FieldReader, VectorForms) {
  expect_field(read_text<Fields>("vector: [1, 2, 3]").vector, 1, 1, list({1, 2, 3}));
  expect_field(read_text<Fields>("vector: [[1, 2, 3], [4, 5, 6]]").vector, 2, 1, list({1, 2, 3, 4, 5, 6}));
  const Field f = read_text<Fields>("vector: {steps: [[1, 2, 3], [[4, 5, 6], [7, 8, 9]]]}").vector;
  expect_field(f, 2, 2, list({1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(f.vec3(1, 1), Vec3(7, 8, 9));
  EXPECT_EQ(f.components, 3);
}

TEST(FieldReader, ValuesPerRegion) {
  const Field f = read_text<Fields>("scalar: {regions: {stem: 4, leaf: 2}, default: 3}").scalar;
  expect_field(f, 3, 1, list({4, 2, 3}));
  EXPECT_EQ(f.regions, (std::vector<std::string>{"stem", "leaf", "default"}));
  const Field g = read_text<Fields>("scalar: {regions: {stem: {steps: [1, 2, 3]}, leaf: 5}}").scalar;
  expect_field(g, 2, 3, list({1, 5, 2, 5, 3, 5}));
  EXPECT_EQ(g.regions, (std::vector<std::string>{"stem", "leaf"}));
  const Field v = read_text<Fields>("vector: {regions: {stem: [1, 2, 3]}, default: [4, 5, 6]}").vector;
  expect_field(v, 2, 1, list({1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(read_text<Fields>("scalar: 5").scalar.regions.empty());
}

TEST(FieldReader, SaysWhatIsWrongWithRegions) {
  const auto error = [](const char* text) { return read_error<Fields>(text); };
  EXPECT_NE(error("scalar: {regions: {}}").find("a map with a value for each region"), std::string::npos);
  EXPECT_NE(error("scalar: {regions: 3}").find("a map with a value for each region"), std::string::npos);
  EXPECT_NE(error("scalar: {regions: {a: -1}}").find("scalar.regions.a"), std::string::npos);
  EXPECT_NE(error("scalar: {regions: {a: [1, 2]}}").find("expected one value for the region, got 2"),
            std::string::npos);
  EXPECT_NE(error("scalar: {regions: {default: 1}}").find("beside 'regions'"), std::string::npos);
  EXPECT_NE(error("scalar: {regions: {a: {regions: {b: 1}}}}").find("cannot be divided"), std::string::npos);
  EXPECT_NE(error("scalar: {regions: {a: 1}, defualt: 2}").find("did you mean 'default'"), std::string::npos)
      << error("scalar: {regions: {a: 1}, defualt: 2}");
  EXPECT_NE(error("scalar: {regions: {a: {steps: [1, 2]}, b: {steps: [1, 2, 3]}}}")
                .find("expected 2 steps for 'b' as for the regions before, got 3"),
            std::string::npos);
}

TEST(FieldReader, TablesInFiles) {
  const TempFolder folder;
  const std::string csv = folder.write("e.csv", "1,2,3\n4,5,6\n");
  const std::string column = folder.write("c.csv", "1\n2\n");
  const Field vectors = read_text<Fields>("vector: {file: " + csv + "}").vector;
  expect_field(vectors, 2, 1, list({1, 2, 3, 4, 5, 6}));
  expect_field(read_text<Fields>("vector: {file: " + csv + ", per: step}").vector, 1, 2,
               list({1, 2, 3, 4, 5, 6}));
  expect_field(read_text<Fields>("scalar: {file: " + csv + ", per: step}").scalar, 3, 2,
               list({1, 2, 3, 4, 5, 6}));
  expect_field(read_text<Fields>("scalar: {file: " + column + ", per: item}").scalar, 2, 1, list({1, 2}));
  EXPECT_NE(read_error<Fields>("scalar: {file: " + csv + "}").find("expected 1 columns in the table, got 3"),
            std::string::npos);
  EXPECT_NE(read_error<Fields>("vector: {file: " + column + ", per: step}").find("a multiple of 3 columns"),
            std::string::npos);
  const std::string bad = folder.write("bad.csv", "1\nx\n");
  EXPECT_NE(read_error<Fields>("scalar: {file: " + bad + "}").find(bad + ":2"), std::string::npos);
  const std::string negative = folder.write("negative.csv", "1\n-2\n");
  EXPECT_NE(read_error<Fields>("scalar: {file: " + negative + "}")
                .find("-2 Pa (row 2, column 1 of the table) is outside of the range [0, inf) Pa"),
            std::string::npos);
}

TEST(FieldReader, MistakesKeepTheirPlace) {
  EXPECT_EQ(read_error<Fields>("scalar: [1, -2, 3]"),
            "scene.yaml:1:13: scalar[1]: -2 Pa is outside of the range [0, inf) Pa");
  EXPECT_EQ(read_error<Fields>("scalar: {steps: [1, [x, 2]]}"),
            "scene.yaml:1:22: scalar.steps[1][0]: expected a number in Pa, got 'x'");
  EXPECT_EQ(read_error<Fields>("vector: [[1, 2, 3], [1, 2]]"),
            "scene.yaml:1:21: vector[1]: expected a list of 3 numbers, got a list of 2");
  EXPECT_EQ(read_error<Fields>("vector: [1, 2, 300]"),
            "scene.yaml:1:16: vector[2]: 300 is outside of the range (-inf, 100]");
  EXPECT_NE(read_error<Fields>("vector: 3").find("expected a list of 3 numbers, got '3'"), std::string::npos);
  EXPECT_NE(read_error<Fields>("vector: []").find("expected a list of 3 numbers"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: []").find("at least one value"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar:").find("expected a number in Pa, got nothing"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {steps: 3}").find("one entry per time step"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {steps: []}").find("one entry per time step"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {steps: [[1, 2], [1, 2, 3]]}")
                .find("expected 2 values as in the steps before"),
            std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {}").find("expected 'steps', 'file', 'regions' or 'signal'"),
            std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {stps: [1]}").find("expected 'steps', 'file', 'regions' or 'signal'"),
            std::string::npos);
  EXPECT_NE(
      read_error<Fields>("scalar: {signal: gait}").find("only what is differentiable can follow a signal"),
      std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {steps: [1], pr: step}").find("unknown key 'pr' in scalar"),
            std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {file: gone.csv}").find("does not exist"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {file: ''}").find("empty name"), std::string::npos);
  EXPECT_NE(read_error<Fields>("scalar: {file: gone.csv, per: row}").find("unknown value 'row'"),
            std::string::npos);
}

TEST(FieldReader, AWrongFieldKeepsItsValue) {
  Fields o;
  Diagnostics diagnostics;
  PlaceMap places;
  const TreeNode tree = parse_tree("scalar: [1, x]\n", "s");
  read_options(
      tree, [&](ParamVisitor& v) { o.visit(v); }, FakeCatalog(), diagnostics, places);
  EXPECT_EQ(diagnostics.count(), 1U);
  expect_field(o.scalar, 1, 1, list({1}));
}

}  // namespace
}  // namespace resilin::test

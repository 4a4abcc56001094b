#include "core/model/parameter_table.hpp"

#include "core/base/error.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace resilin {
namespace {

struct Solid {
  double ignored = 7;
  Field modulus{1e5};
  double ratio = 0.3;
  Vec3 velocity{1, 2, 3};
  void visit(ParamVisitor& v) {
    v.real("ignored", ignored, {.doc = "a"});
    v.field("modulus", modulus, {.doc = "a", .unit = "Pa", .min = 0, .open = true, .differentiable = true});
    v.section("inner", ParamVisitor::Body([this](ParamVisitor& w) {
                w.real("ratio", ratio, {.doc = "a", .min = 0, .max = 0.5, .differentiable = true});
              }),
              {.doc = "a"});
    v.vec3("velocity", velocity, {.doc = "a", .differentiable = true});
  }
};

class ParameterTableTest : public ::testing::Test {
 protected:
  ParameterTableTest() {
    b_.modulus.items = 3;
    b_.modulus.values = Vec3(1, 2, 3);
    EXPECT_EQ(table_.add("bodies.a.materials[0]", [&](ParamVisitor& v) { a_.visit(v); }), 5);
    EXPECT_EQ(table_.add("bodies.a.materials[1]", [&](ParamVisitor& v) { b_.visit(v); }), 7);
    EXPECT_EQ(table_.add("bodies.long_name.materials[0]", [&](ParamVisitor& v) { c_.visit(v); }), 5);
    EXPECT_EQ(
        table_.add(
            "", [&](ParamVisitor& v) { v.vec3("gravity", gravity_, {.doc = "a", .differentiable = true}); }),
        3);
  }
  std::vector<std::string> found(const std::string& pattern) const {
    std::vector<std::string> paths;
    for (const ParameterEntry* e : table_.find(pattern)) paths.push_back(e->path);
    return paths;
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  Solid a_, b_, c_;
  Vec3 gravity_{0, 0, -9.81};
  ParameterTable table_;
};

TEST_F(ParameterTableTest, HoldsDifferentiableParametersInOrderUnderTheirPaths) {
  ASSERT_EQ(table_.entries().size(), 10u);
  EXPECT_EQ(table_.size(), 20);
  const ParameterEntry& e = table_.entries()[4];
  EXPECT_EQ(e.path, "bodies.a.materials[1].inner.ratio");
  EXPECT_EQ(e.offset, 8);
  EXPECT_EQ(e.size, 1);
  EXPECT_EQ(e.values, &b_.ratio);
  EXPECT_EQ(e.max, 0.5);
  EXPECT_EQ(table_.entries()[0].unit, "Pa");
  EXPECT_TRUE(table_.entries()[0].open);
  EXPECT_EQ(table_.entries().back().path, "gravity");
  Index offset = 0;
  for (const ParameterEntry& entry : table_.entries()) {
    EXPECT_EQ(entry.offset, offset);
    offset += entry.size;
  }
}

TEST_F(ParameterTableTest, StarsStandForOneNameOrOneIndex) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(found("gravity"), Paths{"gravity"});
  EXPECT_EQ(found("bodies.a.materials[*].modulus"),
            (Paths{"bodies.a.materials[0].modulus", "bodies.a.materials[1].modulus"}));
  EXPECT_EQ(found("bodies.*.materials[0].inner.ratio"),
            (Paths{"bodies.a.materials[0].inner.ratio", "bodies.long_name.materials[0].inner.ratio"}));
  EXPECT_EQ(found("*.*.materials[*].velocity").size(), 3u);
  EXPECT_EQ(found("bodies.long_*.materials[0].modulus").size(), 1u);
  for (const char* pattern : {"bodies.*", "*", "bodies.*.modulus", "bodies.a.materials[*]", ""}) {
    if (std::string(pattern) == "*") {
      EXPECT_EQ(found(pattern), Paths{"gravity"}) << "a star is one name";
    } else {
      EXPECT_THROW((void)table_.find(pattern), Error) << pattern;
    }
  }
}

TEST_F(ParameterTableTest, AnUnknownPathIsAnErrorWithTheNearestOne) {
  const std::string text = error_of([&] { (void)table_.find("gravitiy"); });
  EXPECT_NE(text.find("no differentiable parameter 'gravitiy'"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'gravity'"), std::string::npos) << text;
}

TEST_F(ParameterTableTest, WritesValuesToTheirPlaces) {
  VecX theta = table_.values();
  EXPECT_EQ(VecX(theta.segment(5, 3)), VecX(Vec3(1, 2, 3)));
  theta[6] = 20;
  theta[8] = 0.45;
  theta[19] = -1.6;
  table_.assign(theta);
  EXPECT_EQ(b_.modulus.values[1], 20);
  EXPECT_EQ(b_.ratio, 0.45);
  EXPECT_EQ(gravity_, Vec3(0, 0, -1.6));
  EXPECT_EQ(table_.values(), theta);
}

TEST_F(ParameterTableTest, RefusesValuesOutsideTheirRangesAndWritesNothingThen) {
  const VecX theta = table_.values();
  const auto with = [&](Index i, double value) {
    VecX t = theta;
    t[0] = 3e5;  // a good one before
    t[i] = value;
    return error_of([&] { table_.assign(t); });
  };
  EXPECT_EQ(with(6, 0), "parameter bodies.a.materials[1].modulus = 0 Pa is outside (0, inf)");
  EXPECT_NE(with(8, 0.51).find("bodies.a.materials[1].inner.ratio = 0.51"), std::string::npos);
  EXPECT_NE(with(8, 0.51).find("[0, 0.5]"), std::string::npos);
  EXPECT_NE(with(17, std::numeric_limits<double>::quiet_NaN()).find("gravity = nan"), std::string::npos);
  EXPECT_NE(with(17, std::numeric_limits<double>::infinity()).find("gravity = inf"), std::string::npos);
  EXPECT_EQ(table_.values(), theta);
  EXPECT_EQ(with(8, 0.5), "no error") << "the end of a closed range belongs to it";
  EXPECT_NE(error_of([&] { table_.assign(VecX::Zero(3)); }).find("3 parameter values given, 20 expected"),
            std::string::npos);
}

}  // namespace
}  // namespace resilin

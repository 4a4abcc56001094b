#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

const char* const kScene =
    "a: {b: [{c: 1}, {c: 2}], m: {x: {c: 1}, y: {c: 2}}}\nforward: newton\nn: 3\nempty: []\n";

TreeNode with(const std::string& assignment) {
  TreeNode root = parse_tree(kScene, "s.yaml");
  apply_override(root, assignment);
  return root;
}

std::string set_error(const std::string& assignment) {
  return error_of([&] { with(assignment); });
}

TEST(Override, SetsScalarsListsAndMaps) {
  EXPECT_EQ(with("n=4").find("n")->scalar, "4");
  EXPECT_EQ(with(" n = 4 ").find("n")->scalar, "4");
  EXPECT_EQ(with("n=[1, 2]").find("n")->items.size(), 2U);
  EXPECT_EQ(with("n={x: 1}").find("n")->find("x")->scalar, "1");
  EXPECT_EQ(with("n=a=b").find("n")->scalar, "a=b");
  EXPECT_TRUE(with("n='4'").find("n")->quoted);
  EXPECT_EQ(with("n=").find("n")->kind, TreeNode::Kind::Null);
}

TEST(Override, ReachesIntoListsAndMaps) {
  const TreeNode root = with("a.b[1].c=7");
  EXPECT_EQ(root.find("a")->find("b")->items[0].find("c")->scalar, "1");
  EXPECT_EQ(root.find("a")->find("b")->items[1].find("c")->scalar, "7");
  EXPECT_EQ(to_string(root.find("a")->find("b")->items[1].find("c")->place), "--set a.b[1].c=7");
  const TreeNode made = with("p.q.r=1");
  EXPECT_EQ(made.find("p")->find("q")->find("r")->scalar, "1");
}

TEST(Override, StarSelectsAllEntries) {
  const TreeNode list = with("a.b[*].c=7");
  for (const TreeNode& item : list.find("a")->find("b")->items) EXPECT_EQ(item.find("c")->scalar, "7");
  const TreeNode map = with("a.m[*].c=7");
  EXPECT_EQ(map.find("a")->find("m")->find("x")->find("c")->scalar, "7");
  EXPECT_EQ(map.find("a")->find("m")->find("y")->find("c")->scalar, "7");
}

TEST(Override, AWordOfATypeBecomesAMap) {
  const TreeNode root = with("forward.tolerance=1e-3");
  EXPECT_EQ(root.find("forward")->find("type")->scalar, "newton");
  EXPECT_EQ(root.find("forward")->find("tolerance")->scalar, "1e-3");
  EXPECT_EQ(root.find("forward")->find("type")->place.file, "s.yaml");
}

TEST(Override, RefusesMalformedPaths) {
  for (const char* text :
       {"", "=1", ".a=1", "a.=1", "a..b=1", "a[=1", "a[]=1", "a[x]=1", "a[-1]=1", "a[1.5]=1", "a[0]b=1",
        "[0]=1", "a b=1", "*=1", "a.*=1", "a[99999999999999999999999]=1", "a]=1"}) {
    const std::string error = set_error(text);
    EXPECT_EQ(error.rfind("--set ", 0), 0U) << text << ": " << error;
    EXPECT_NE(error.find("expected"), std::string::npos) << text << ": " << error;
  }
  EXPECT_EQ(set_error("n"), "--set n: expected path.to.key=value");
  EXPECT_NE(set_error("n=[1").find("--set n=[1: "), std::string::npos);
  EXPECT_NE(set_error("n={a: 1, a: 2}").find("duplicate key 'a'"), std::string::npos);
}

TEST(Override, RefusesWhatIsNotThere) {
  EXPECT_NE(set_error("a.b[2].c=1").find("there is no a.b[2]: 'a.b' has 2 entries"), std::string::npos);
  EXPECT_NE(set_error("zzz[0]=1").find("'zzz' does not exist"), std::string::npos);
  EXPECT_NE(set_error("a.m[0]=1").find("'a.m' is not a list"), std::string::npos);
  EXPECT_NE(set_error("a.b.c=1").find("'a.b' is not a map"), std::string::npos);
  EXPECT_NE(set_error("n[*]=1").find("neither a list nor a map"), std::string::npos);
  EXPECT_NE(set_error("empty[*]=1").find("selects nothing"), std::string::npos);
}

TEST(Override, AMistakeLeavesTheTreeAsItWas) {
  TreeNode root = parse_tree("l: [{c: {d: 1}}, {c: [1]}]\n", "s");
  EXPECT_NE(error_of([&] { apply_override(root, "l[*].c.d=2"); }).find("'l[*].c' is not a map"),
            std::string::npos);
  EXPECT_EQ(root.find("l")->items[0].find("c")->find("d")->scalar, "1");
}

TEST(Override, GrowthIsLimited) {
  std::string thousand = "[1";
  for (int i = 1; i < 1000; ++i) thousand += ",1";
  thousand += "]";
  TreeNode root;
  apply_override(root, "x=" + thousand);
  apply_override(root, "x[0]=" + thousand);
  EXPECT_NE(error_of([&] { apply_override(root, "x[*]=" + thousand); }).find("more than 1000000 values"),
            std::string::npos);
  std::string path = "a";
  for (int i = 0; i < 200; ++i) path += ".a";
  EXPECT_NE(error_of([&] { apply_override(root, path + "=1"); }).find("more than 100 levels"),
            std::string::npos);
}

TEST(Override, LongAndOddTextStaysOnOneLine) {
  const std::string error = set_error("a.b[9]=\"" + std::string(500, 'x') + "\n\"");
  EXPECT_EQ(count_of(error, "\n"), 0U);
  EXPECT_LT(error.size(), 250U);
}

}  // namespace
}  // namespace resilin::test

#include "core/params/tree.hpp"

#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

TEST(Tree, KeepsOrderKindsAndPlaces) {
  const TreeNode root = parse_tree("b: 1\na: ['x', y]\nc: {d: null}\n", "s.yaml");
  ASSERT_EQ(root.kind, TreeNode::Kind::Map);
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].key, "a");
  EXPECT_EQ(to_string(root.entries[1].place), "s.yaml:2:1");
  const TreeNode* list = root.find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_TRUE(list->items[0].quoted);
  EXPECT_FALSE(list->items[1].quoted);
  EXPECT_EQ(to_string(list->items[1].place), "s.yaml:2:10");
  EXPECT_EQ(root.find("c")->find("d")->kind, TreeNode::Kind::Null);
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(Tree, EmptyTextIsNothing) {
  EXPECT_EQ(parse_tree("", "s").kind, TreeNode::Kind::Null);
  EXPECT_EQ(parse_tree("# only a comment\n", "s").kind, TreeNode::Kind::Null);
}

TEST(Tree, ExtendsMergesMapsAndReplacesTheRest) {
  const TempFolder folder;
  folder.write("sub/base.yaml", "time: {step: 0.1, steps: 5}\nlist: [1, 2, 3]\nkeep: yes\n");
  const std::string file =
      folder.write("scene.yaml", "extends: sub/base.yaml\ntime: {step: 0.2}\nlist: [9]\nnew: 1\n");
  const TreeNode root = load_tree(file);
  EXPECT_EQ(root.find("extends"), nullptr);
  EXPECT_EQ(root.find("time")->find("step")->scalar, "0.2");
  EXPECT_EQ(root.find("time")->find("steps")->scalar, "5");
  EXPECT_EQ(root.find("list")->items.size(), 1U);
  EXPECT_EQ(root.find("new")->scalar, "1");
  // Each value knows the file that it came from.
  EXPECT_EQ(root.find("keep")->place.file, folder.path("sub/base.yaml"));
  EXPECT_EQ(root.find("new")->place.file, file);
}

TEST(Tree, LaterFilesOfAListWin) {
  const TempFolder folder;
  folder.write("a.yaml", "x: 1\ny: 1\nz: 1\n");
  folder.write("b.yaml", "y: 2\nz: 2\n");
  const TreeNode root = load_tree(folder.write("c.yaml", "extends: [a.yaml, b.yaml]\nz: 3\n"));
  EXPECT_EQ(root.find("x")->scalar, "1");
  EXPECT_EQ(root.find("y")->scalar, "2");
  EXPECT_EQ(root.find("z")->scalar, "3");
}

TEST(Tree, TextExtendsRelativeToItsName) {
  const TempFolder folder;
  folder.write("base.yaml", "x: 1\n");
  EXPECT_EQ(parse_tree("extends: base.yaml\n", folder.path("virtual.yaml")).find("x")->scalar, "1");
}

TEST(Tree, CyclesAreRefusedWithTheirChain) {
  const TempFolder folder;
  const std::string a = folder.write("a.yaml", "extends: b.yaml\n");
  const std::string b = folder.write("b.yaml", "extends: ./a.yaml\n");
  const std::string error = error_of([&] { load_tree(a); });
  EXPECT_NE(
      error.find(b + ":1:10: extends: files extend each other in a cycle: " + a + " -> " + b + " -> " + a),
      std::string::npos)
      << error;
}

TEST(Tree, DiamondsOfManyLevelsStayFast) {
  // Each level names the next twice by different files: 2^30 readings without a memory of what was read.
  const TempFolder folder;
  constexpr int kLevels = 30;
  for (int i = 0; i < kLevels; ++i) {
    const std::string next =
        "extends: [l" + std::to_string(i + 1) + ".yaml, r" + std::to_string(i + 1) + ".yaml]\n";
    folder.write("l" + std::to_string(i) + ".yaml", next);
    folder.write("r" + std::to_string(i) + ".yaml", next);
  }
  folder.write("l30.yaml", "x: 1\n");
  folder.write("r30.yaml", "x: 2\n");
  EXPECT_EQ(load_tree(folder.path("l0.yaml")).find("x")->scalar, "2");
}

TEST(Tree, MistakesOfAllFilesAreListedTogetherByPlace) {
  const TempFolder folder;
  const std::string base = folder.write("a_base.yaml", "x: 1\nx: 2\n");
  const std::string file =
      folder.write("b.yaml", "extends: [a_base.yaml, gone.yaml, a_base.yaml]\ny: 1\ny: 2\n");
  const std::string error = error_of([&] { load_tree(file); });
  const std::size_t first = error.find(base + ":2:1: duplicate key 'x' (first given in line 1)");
  const std::size_t second =
      error.find(file + ":1:24: extends: file '" + folder.path("gone.yaml") + "' does not exist");
  const std::size_t third = error.find(file + ":1:35: extends: file 'a_base.yaml' is given twice");
  const std::size_t fourth = error.find(file + ":3:1: duplicate key 'y'");
  EXPECT_EQ(first, 0U) << error;
  EXPECT_LT(second, third) << error;
  EXPECT_LT(third, fourth) << error;
  EXPECT_NE(fourth, std::string::npos) << error;
  EXPECT_EQ(count_of(error, "\n"), 3U);
}

TEST(Tree, ExtendsNeedsNamesAndMaps) {
  const TempFolder folder;
  folder.write("list.yaml", "[1, 2]\n");
  const std::string list = error_of([&] { load_tree(folder.write("a.yaml", "extends: list.yaml\n")); });
  EXPECT_NE(list.find("list.yaml:1:1: expected a map"), std::string::npos) << list;
  const std::string map = error_of([&] { load_tree(folder.write("b.yaml", "extends: {a: 1}\n")); });
  EXPECT_NE(map.find("expected the name of a file"), std::string::npos) << map;
  const std::string device = error_of([&] { load_tree(folder.write("c.yaml", "extends: /dev/zero\n")); });
  EXPECT_NE(device.find("not a readable file"), std::string::npos) << device;
  const std::string itself = error_of([&] { load_tree(folder.write("d.yaml", "extends: .\n")); });
  EXPECT_NE(itself.find("is a folder"), std::string::npos) << itself;
}

TEST(Tree, AMissingFileIsAnIoError) {
  try {
    load_tree("/nonexistent/scene.yaml");
    FAIL() << "expected an Error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Io);
    EXPECT_NE(std::string(e.what()).find("/nonexistent/scene.yaml"), std::string::npos);
  }
}

TEST(Diagnostics, SortsAndDropsRepetitions) {
  Diagnostics d;
  EXPECT_TRUE(d.ok());
  EXPECT_NO_THROW(d.throw_if_any());
  d.error({"b", 1, 1}, "p", "late");
  d.error({"a", 10, 2}, "", "middle");
  d.error({"a", 9, 7}, "q", "early");
  d.error({"b", 1, 1}, "p", "late");
  EXPECT_EQ(d.count(), 4U);
  EXPECT_EQ(error_of([&] { d.throw_if_any(); }), "a:9:7: q: early\na:10:2: middle\nb:1:1: p: late");
}

TEST(Diagnostics, OneMistakeKeepsItsPlaceApart) {
  Diagnostics d;
  d.error({"a", 9, 7}, "q", "early");
  try {
    d.throw_if_any();
    FAIL() << "expected an Error";
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "a:9:7");
    EXPECT_EQ(e.message(), "q: early");
  }
}

TEST(Diagnostics, EndlessListsAreCutWithTheirCount) {
  Diagnostics d;
  for (int i = 1; i <= 1500; ++i) d.error({"a", i, 1}, "", "wrong");
  const std::string error = error_of([&] { d.throw_if_any(); });
  EXPECT_EQ(count_of(error, "wrong"), 1000U);
  EXPECT_NE(error.find("and 500 more mistakes"), std::string::npos);
}

TEST(Suggest, FindsTypingMistakes) {
  const std::vector<std::string> known = {"stiffness", "density", "E"};
  const std::string list = " (known: stiffness, density, E)";
  EXPECT_EQ(suggest("stifness", known), "; did you mean 'stiffness'?" + list);
  EXPECT_EQ(suggest("Density", known), "; did you mean 'density'?" + list);
  EXPECT_EQ(suggest("dnesity", known), "; did you mean 'density'?" + list);
  EXPECT_EQ(suggest("gravity", known), list);
  EXPECT_EQ(suggest("x", known), list);
  EXPECT_EQ(suggest("e", known), "; did you mean 'E'?" + list);
  EXPECT_EQ(suggest("", known), list);
  EXPECT_EQ(suggest(std::string(100000, 's'), known), list);
  EXPECT_EQ(suggest("x", {}), " (known: none)");
}

}  // namespace
}  // namespace resilin::test

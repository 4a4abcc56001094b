// What the text of a file may hold; through parse_tree, as the parser behind it is internal.
#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

#include <random>

namespace resilin::test {
namespace {

std::string parse_error(const std::string& text) {
  return error_of([&] { parse_tree(text, "s"); });
}

std::string repeat(const std::string& word, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += word;
  return out;
}

TEST(Yaml, QuotesAndTagsDecideWhatIsText) {
  const TreeNode root = parse_tree("a: 1\nb: \"1\"\nc: '1'\nd: !!str 1\ne: ~\nf: |\n  two\n  lines\n", "s");
  EXPECT_FALSE(root.find("a")->quoted);
  EXPECT_TRUE(root.find("b")->quoted);
  EXPECT_TRUE(root.find("c")->quoted);
  EXPECT_TRUE(root.find("d")->quoted);
  EXPECT_EQ(root.find("e")->kind, TreeNode::Kind::Null);
  EXPECT_EQ(root.find("f")->scalar, "two\nlines\n");
  EXPECT_TRUE(root.find("f")->quoted);
  EXPECT_EQ(parse_error("a: !python/object x\n"), "s:1:4: unknown tag '!python/object'");
}

TEST(Yaml, DuplicateKeysAreRefusedAllOfThem) {
  EXPECT_EQ(
      parse_error("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n"),
      "s:4:3: duplicate key 'c' (first given in line 3)\ns:5:1: duplicate key 'a' (first given in line 1)");
}

TEST(Yaml, AnchorsAndMergeKeys) {
  const TreeNode root =
      parse_tree("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nsame: *b\nlist: {<<: [*b, {z: 4}]}\n", "s");
  EXPECT_EQ(root.find("use")->find("x")->scalar, "1");
  EXPECT_EQ(root.find("use")->find("y")->scalar, "3");
  EXPECT_EQ(root.find("use")->entries.size(), 2U);
  EXPECT_EQ(root.find("same")->find("y")->scalar, "2");
  EXPECT_EQ(root.find("list")->find("z")->scalar, "4");
  EXPECT_NE(parse_error("a: {<<: 3}\n").find("'<<' needs a map"), std::string::npos);
  EXPECT_NE(parse_error("a: *nowhere\n").find("s:1:4"), std::string::npos);
}

TEST(Yaml, SyntaxErrorsHaveAPlace) {
  for (const char* text :
       {"a: [1, 2", "a: {b: 1", "a: \"x", "]", "a: b: c", "a: @x\n", "\t- a\n\t b: 1", "*", "!<", "a: !<x",
        "{a: 1}}", "a: |x\n b", "\"\\xZZ\"", "\"\\uD800\"", "'a", "a: 'x' y", "a:\n  b: 1\n c: 2"}) {
    const std::string error = parse_error(text);
    EXPECT_EQ(error.rfind("s:", 0), 0U) << text << " " << error;
    EXPECT_NE(error.find(": invalid YAML: "), std::string::npos) << text << " " << error;
  }
  EXPECT_NE(parse_error("a: 1\n---\nb: 2").find("s:2:1: unexpected text after the end"), std::string::npos);
  EXPECT_NE(parse_error("~: 1\n").find("the key of a map must be text"), std::string::npos);
  EXPECT_NE(parse_error("a: [1, 2").find("s:1:"), std::string::npos);
  EXPECT_NE(parse_error("- a\nb: 1\n").find("s:2:1: unexpected text after the end"), std::string::npos);
  EXPECT_NE(parse_error("? [1]\n: 2\n").find("the key of a map must be text"), std::string::npos);
}

TEST(Yaml, OnlyCleanText) {
  EXPECT_EQ(parse_error("a: 1\nb: \x04zzz\n").rfind("s:2:4: byte 0x04 is no text", 0), 0U);
  EXPECT_NE(parse_error(std::string("a: \0", 4)).find("0x00"), std::string::npos);
  EXPECT_NE(parse_error("a: \xff\n").find("0xff"), std::string::npos);
  EXPECT_NE(parse_error("a: \xc3").find("0xc3"), std::string::npos);          // cut short
  EXPECT_NE(parse_error("a: \xc0\xaf").find("0xc0"), std::string::npos);      // overlong
  EXPECT_NE(parse_error("a: \xed\xa0\x80").find("0xed"), std::string::npos);  // surrogate
  EXPECT_EQ(parse_tree("\xef\xbb\xbf"
                       "a: \xc3\xa9\n",
                       "s")
                .find("a")
                ->scalar,
            "\xc3\xa9");
  EXPECT_EQ(parse_tree("a: 1\r\nb: 2\r\n", "s").find("b")->scalar, "2");
}

TEST(Yaml, NestingIsLimited) {
  EXPECT_NO_THROW(parse_tree(repeat("[", 100) + repeat("]", 100), "s"));
  EXPECT_NE(parse_error(repeat("[", 101) + repeat("]", 101)).find("nested deeper than 100 levels"),
            std::string::npos);
  EXPECT_NE(parse_error(repeat("[", 200000)).find("s:1:"), std::string::npos);
  EXPECT_NE(parse_error(repeat("{a: ", 20000)).find("s:1:"), std::string::npos);
  EXPECT_NE(parse_error(repeat("- ", 20000)).find("nested deeper"), std::string::npos);
  EXPECT_NE(parse_error(repeat("? ", 20000)).find("s:1:"), std::string::npos);
}

TEST(Yaml, ExpansionIsLimited) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + repeat(", " + last, 9) + "]\n";
  }
  EXPECT_NE(parse_error(bomb).find("more than 1000000 values"), std::string::npos);
  EXPECT_NE(parse_error("a: &a [*a]\n").find("an alias inside of what it stands for"), std::string::npos);
  // Ten aliases of ten levels each lie deeper than their text.
  std::string deep = "a0: &a0 [1]\n";
  for (int i = 1; i < 12; ++i) {
    deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " " + repeat("[", 10) + "*a" +
            std::to_string(i - 1) + repeat("]", 10) + "\n";
  }
  EXPECT_NE(parse_error(deep).find("nested deeper than 100 levels"), std::string::npos);
}

TEST(Yaml, DamagedTextsNeverCrash) {
  const std::string good =
      "extends: []\nname: &n 'a b'\ntime: {step: 0.1, <<: {x: 1}}\nlist:\n  - *n\n  - !!str 1\n  - |\n    "
      "x\nend: \"\\n\"\n";
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = random() % text.size();
      const char c = ":-[]{}&*!|>'\"%@`#?, \n\tx"[random() % 24];
      if (random() % 2 == 0) {
        text[at] = c;
      } else {
        text.insert(at, 1, c);
      }
    }
    try {
      parse_tree(text, "s");
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), Errc::Input) << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 3000);
}

}  // namespace
}  // namespace resilin::test

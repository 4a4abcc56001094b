#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

template <class O>
std::string describe(O options = {}) {
  return describe_markdown([&](ParamVisitor& v) { options.visit(v); });
}

TEST(Describe, OneRowPerParameter) {
  EXPECT_EQ(describe<NeoHookean>(),
            "| key | type | unit | default | range | meaning |\n"
            "|---|---|---|---|---|---|\n"
            "| `youngs_modulus` (`E`) | field of numbers | Pa | `1000000` | (0, inf) | stiffness "
            "(differentiable) |\n"
            "| `poissons_ratio` (`nu`) | number |  | `0.45` | (-1, 0.5) | compressibility |\n");
  EXPECT_NE(describe<Needy>().find("| `strength` | number | N | required |  | how strong |"),
            std::string::npos);
}

TEST(Describe, NestedMapsAsPaths) {
  const std::string text = describe<Everything>();
  EXPECT_NE(text.find("| `time` | map |"), std::string::npos) << text;
  EXPECT_NE(text.find("| `time.step` | number | s | `0.01` | (0, inf) | length of a step |"),
            std::string::npos);
  EXPECT_NE(text.find("| `record` | map |  | absent |"), std::string::npos);
  EXPECT_NE(text.find("| `losses[*].weight` | number |"), std::string::npos);
  EXPECT_NE(text.find("| `bodies[*].label` | text |"), std::string::npos);
  // What follows a nested map stands at the top again.
  EXPECT_NE(text.find("| `set` | map of path: value |  | `{}` |"), std::string::npos);
}

TEST(Describe, TypesAndDefaults) {
  const std::string text = describe<Everything>();
  EXPECT_NE(text.find("| `enabled` | `true`, `false` |  | `true` |  | used \\| unused |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| `limit` | number | N | none |"), std::string::npos);
  EXPECT_NE(text.find("| `gravity` | [x, y, z] | m/s^2 | `[0, 0, -9.81]` | [-100, 100] |"),
            std::string::npos);
  EXPECT_NE(text.find("| `mode` | `fast`, `exact` |  | `fast` |"), std::string::npos);
  EXPECT_NE(text.find("| `outputs` | one or a list of `vtu`, `obj` |  | `[]` |"), std::string::npos);
  EXPECT_NE(text.find("| `wind` | field of [x, y, z] | m/s | `[1, 2, 3]` |"), std::string::npos);
  EXPECT_NE(text.find("| `forward` | forward |  |  |"), std::string::npos);
  EXPECT_NE(text.find("| `materials` | list of material |"), std::string::npos);
  EXPECT_NE(text.find("| `forces` | map of force |"), std::string::npos);
  EXPECT_NE(text.find("| `mesh` | file |"), std::string::npos);
}

TEST(Describe, EachRowHasSixCells) {
  Everything o;
  o.knots = VecX::Ones(20);
  const std::string text = describe(o);
  EXPECT_NE(text.find("20 values"), std::string::npos);
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    const std::string row = text.substr(start, end - start);
    EXPECT_EQ(count_of(row, "|") - count_of(row, "\\|"), 7U) << row;
    start = end + 1;
  }
}

}  // namespace
}  // namespace resilin::test

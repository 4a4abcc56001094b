#include "core/params/visitor.hpp"

#include "tests/unit/params/fake_catalog.hpp"

#include <gtest/gtest.h>

namespace resilin::test {
namespace {

ComponentSpec make_spec(double poissons_ratio) {
  auto holder = std::make_unique<Holder<NeoHookean>>();
  holder->value.poissons_ratio = poissons_ratio;
  ComponentSpec spec;
  spec.type = "neo_hookean";
  spec.options = std::move(holder);
  spec.path = "materials[0]";
  spec.place = {"a.yaml", 3, 5};
  return spec;
}

double ratio_of(const ComponentSpec& spec) {
  return dynamic_cast<const Holder<NeoHookean>&>(*spec.options).value.poissons_ratio;
}

TEST(ComponentSpec, CopiesAreDeep) {
  ComponentSpec a = make_spec(0.3);
  const ComponentSpec b(a);
  dynamic_cast<Holder<NeoHookean>&>(*a.options).value.poissons_ratio = 0.1;
  EXPECT_EQ(ratio_of(b), 0.3);
  EXPECT_EQ(b.type, "neo_hookean");
  EXPECT_EQ(b.path, "materials[0]");
  EXPECT_EQ(to_string(b.place), "a.yaml:3:5");
}

TEST(ComponentSpec, AssignsItselfAndEmptyOnes) {
  ComponentSpec a = make_spec(0.3);
  const ComponentSpec& same = a;
  a = same;
  ASSERT_NE(a.options, nullptr);
  EXPECT_EQ(ratio_of(a), 0.3);
  a = ComponentSpec(static_cast<const ComponentSpec&>(ComponentSpec{}));
  EXPECT_TRUE(a.type.empty());
  EXPECT_EQ(a.options, nullptr);
}

}  // namespace
}  // namespace resilin::test

#include "core/plugin/registry.hpp"

#include "tests/support/test_interface.hpp"
#include "tests/unit/plugin/expect_error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace resilin {
namespace {

using test::expect_error;
using test::Gadget;
using One = test::ScaledGadget<1>;
using Seven = test::ScaledGadget<7>;

/// Another interface, so that one name may stand under two kinds.
struct Widget : Component {};

/// Throws what its option says.
struct Thrower final : Widget {
  struct Options {
    std::string what;
    void visit(ParamVisitor& v) { v.text("what", what, {.doc = "what to throw"}); }
  };
  Thrower(const Options& options, const BuildContext& context) {
    if (options.what == "error") throw Error(Errc::Numerics, "matrix is singular");
    if (options.what == "placed error") throw Error(Errc::Io, "disk is full", "out.h5");
    if (options.what == "input error") throw context.input_error("what", "must be nothing");
    if (options.what == "exception") throw std::out_of_range("index 9 of 3");
    if (options.what == "number") throw 42;
  }
};

}  // namespace

RESILIN_KIND(Widget, "widget");

namespace {

ComponentSpec spec_of(const Registry& registry, const std::string& kind, const std::string& type) {
  ComponentSpec spec;
  spec.type = type;
  spec.options = registry.make_options(kind, type);
  spec.path = "bodies.beam.gadget";
  spec.place = {"scene.yaml", 12, 3};
  return spec;
}

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    registry.add<Gadget, Seven>("seven", "seven times the factor", true);
    registry.add<Gadget, One>("one", "the factor");
    registry.add<Widget, Thrower>("thrower", "throws");
    registry.add<Widget, Thrower>("one", "same name, other kind");
  }
  ComponentSpec thrower(const std::string& what) const {
    ComponentSpec spec = spec_of(registry, "widget", "thrower");
    static_cast<detail::OptionsOf<Thrower::Options>&>(*spec.options).value.what = what;
    return spec;
  }

  Registry registry;
};

TEST_F(RegistryTest, MakesWhatTheSpecAsksFor) {
  ComponentSpec spec = spec_of(registry, "gadget", "seven");
  EXPECT_DOUBLE_EQ(registry.make<Gadget>(spec, {})->value(), 14.0);
  static_cast<detail::OptionsOf<Seven::Options>&>(*spec.options).value.factor = 3;
  EXPECT_DOUBLE_EQ(registry.make<Gadget>(spec, {})->value(), 21.0);
}

TEST_F(RegistryTest, ConstructorsSeeTheirOwnPathNotThatOfTheirMaker) {
  BuildContext parent;
  parent.path = "bodies.beam";
  ComponentSpec spec = spec_of(registry, "gadget", "one");
  EXPECT_EQ(registry.make<Gadget>(spec, parent)->path(), "bodies.beam.gadget");
  spec.path.clear();
  EXPECT_EQ(registry.make<Gadget>(spec, parent)->path(), "bodies.beam");
}

TEST_F(RegistryTest, AnswersWhatIsRegistered) {
  EXPECT_EQ(registry.types("gadget"), (std::vector<std::string>{"one", "seven"}));
  EXPECT_EQ(registry.types("widget"), (std::vector<std::string>{"one", "thrower"}));
  EXPECT_TRUE(registry.types("gad").empty());
  EXPECT_TRUE(registry.knows("gadget", "seven"));
  EXPECT_FALSE(registry.knows("widget", "seven"));
  EXPECT_EQ(registry.default_type("gadget"), "seven");
  EXPECT_EQ(registry.default_type("widget"), "");
  EXPECT_EQ(registry.summary("gadget", "one"), "the factor");
  EXPECT_EQ(registry.summary("widget", "one"), "same name, other kind");
  ASSERT_NE(registry.find("gadget", "one"), nullptr);
  EXPECT_EQ(registry.find("gadget", "one")->library, "core");
  EXPECT_EQ(registry.find("gadget", "two"), nullptr);
}

TEST_F(RegistryTest, EntriesAreSortedByKindThenType) {
  std::vector<std::string> names;
  for (const Registry::Entry* entry : registry.entries()) names.push_back(entry->kind + "/" + entry->type);
  EXPECT_EQ(names, (std::vector<std::string>{"gadget/one", "gadget/seven", "widget/one", "widget/thrower"}));
}

TEST_F(RegistryTest, UnknownTypeNamesPlacePathAndTheNearest) {
  ComponentSpec spec = spec_of(registry, "gadget", "seven");
  spec.type = "sevn";
  const std::string what = expect_error(Errc::Input, [&] { registry.make<Gadget>(spec, {}); });
  EXPECT_EQ(what.rfind("scene.yaml:12:3: bodies.beam.gadget: no gadget of type 'sevn'", 0), 0U) << what;
  EXPECT_NE(what.find("did you mean 'seven'"), std::string::npos) << what;
  expect_error(Errc::Input, [&] { registry.make_options("gadget", "sevn"); }, {"'sevn'", "'seven'"});
  expect_error(Errc::Input, [&] { registry.summary("gadget", "sevn"); }, {"'sevn'", "'seven'"});
}

TEST_F(RegistryTest, SpecWithoutTypeOrOptionsIsRefused) {
  ComponentSpec spec;
  spec.path = "contacts[0]";
  spec.place = {"scene.yaml", 3, 1};
  expect_error(Errc::Input, [&] { registry.make<Gadget>(spec, {}); },
               {"scene.yaml:3:1: contacts[0]: needs the type of a gadget", "one, seven"});
  spec.type = "one";
  expect_error(Errc::Internal, [&] { registry.make<Gadget>(spec, {}); }, {"gadget 'one'", "without options"});
}

TEST_F(RegistryTest, ErrorsWithoutPlaceGetPathAndPlaceOfTheSpec) {
  const std::string what = expect_error(Errc::Numerics, [&] { registry.make<Widget>(thrower("error"), {}); });
  EXPECT_EQ(what, "scene.yaml:12:3: bodies.beam.gadget: matrix is singular");
}

TEST_F(RegistryTest, ErrorsWithPlaceStayAsTheyAre) {
  const std::string what =
      expect_error(Errc::Io, [&] { registry.make<Widget>(thrower("placed error"), {}); });
  EXPECT_EQ(what, "out.h5: disk is full");
}

TEST_F(RegistryTest, PathIsNotNamedTwice) {
  ComponentSpec spec = thrower("input error");
  EXPECT_EQ(expect_error(Errc::Input, [&] { registry.make<Widget>(spec, {}); }),
            "scene.yaml:12:3: bodies.beam.gadget.what: must be nothing");
  spec.place = {};
  EXPECT_EQ(expect_error(Errc::Input, [&] { registry.make<Widget>(spec, {}); }),
            "bodies.beam.gadget.what: must be nothing");
}

TEST_F(RegistryTest, PathThatOnlyLooksLikeTheMessageIsNamed) {
  ComponentSpec spec = thrower("error");
  spec.path = "matrix";
  EXPECT_EQ(expect_error(Errc::Numerics, [&] { registry.make<Widget>(spec, {}); }),
            "scene.yaml:12:3: matrix: matrix is singular");
}

TEST_F(RegistryTest, OtherExceptionsBecomeInternalErrorsNamingTheComponent) {
  expect_error(Errc::Internal, [&] { registry.make<Widget>(thrower("exception"), {}); },
               {"scene.yaml:12:3: bodies.beam.gadget: widget 'thrower' of core failed: index 9 of 3"});
  expect_error(Errc::Internal, [&] { registry.make<Widget>(thrower("number"), {}); },
               {"widget 'thrower' of core failed with an exception that is no std::exception"});
}

TEST_F(RegistryTest, NamesAndDefaultsAreTakenOnce) {
  expect_error(Errc::Plugin, [&] { registry.add<Gadget, One>("one", "again"); },
               {"gadget 'one' is registered twice by core"});
  expect_error(Errc::Plugin, [&] { registry.add<Gadget, One>("two", "another default", true); },
               {"gadget 'seven'", "'two'", "would both be the default"});
  expect_error(Errc::Plugin, [&] { registry.add<Gadget, One>("", "nameless"); }, {"a gadget without a name"});
  EXPECT_EQ(registry.entries().size(), 4U);
}

}  // namespace
}  // namespace resilin

#include "core/plugin/component.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

TEST(BuildContext, InputErrorPointsToTheParameter) {
  const PlaceMap places = {{"bodies.beam.materials[0]", {"scene.yaml", 7, 5}},
                           {"bodies.beam.materials[0].youngs_modulus", {"scene.yaml", 8, 9}},
                           {"bodies.beam.materials[0][1]", {"scene.yaml", 9, 3}}};
  BuildContext context;
  context.path = "bodies.beam.materials[0]";
  context.place = {"scene.yaml", 7, 5};
  context.places = &places;

  const Error at_key = context.input_error("youngs_modulus", "must not be 0");
  EXPECT_EQ(at_key.code(), Errc::Input);
  EXPECT_STREQ(at_key.what(), "scene.yaml:8:9: bodies.beam.materials[0].youngs_modulus: must not be 0");
  EXPECT_EQ(context.input_error("[1]", "no").where(), "scene.yaml:9:3");
  EXPECT_STREQ(context.input_error("", "no mesh").what(),
               "scene.yaml:7:5: bodies.beam.materials[0]: no mesh");
}

TEST(BuildContext, InputErrorFallsBackToThePlaceOfTheComponent) {
  BuildContext context;
  context.path = "contacts[2]";
  context.place = {"scene.yaml", 4, 1};
  EXPECT_STREQ(context.input_error("friction", "bad").what(), "scene.yaml:4:1: contacts[2].friction: bad");
  const PlaceMap places = {{"contacts[2].stiffness", {"scene.yaml", 5, 1}}};
  context.places = &places;
  EXPECT_EQ(context.input_error("friction", "bad").where(), "scene.yaml:4:1");
}

TEST(BuildContext, InputErrorWithoutAnyPlaceHasOnlyTheMessage) {
  EXPECT_STREQ(BuildContext().input_error("", "bad").what(), "bad");
  EXPECT_STREQ(BuildContext().input_error("friction", "bad").what(), "friction: bad");
  EXPECT_EQ(BuildContext().input_error("friction", "bad").where(), "");
}

}  // namespace
}  // namespace resilin

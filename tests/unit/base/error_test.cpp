#include "core/base/error.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

TEST(Place, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(Place{"a.yaml", 3, 7}), "a.yaml:3:7");
  EXPECT_EQ(to_string(Place{"a.yaml", 3, 0}), "a.yaml:3");
  EXPECT_EQ(to_string(Place{"a.yaml", 0, 0}), "a.yaml");
  EXPECT_EQ(to_string(Place{}), "");
}

TEST(Error, PutsThePlaceBeforeTheMessage) {
  const Error with(Errc::Input, "no such key", "a.yaml:3:7"), without(Errc::Numerics, "not a number");
  EXPECT_STREQ(with.what(), "a.yaml:3:7: no such key");
  EXPECT_EQ(with.message(), "no such key");
  EXPECT_EQ(with.where(), "a.yaml:3:7");
  EXPECT_EQ(with.code(), Errc::Input);
  EXPECT_STREQ(without.what(), "not a number");
  EXPECT_EQ(without.where(), "");
  EXPECT_EQ(without.code(), Errc::Numerics);
}

TEST(Error, IsCaughtAsAStandardException) {
  try {
    throw Error(Errc::Io, "disk full", "out.h5");
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "out.h5: disk full");
  }
}

}  // namespace
}  // namespace resilin

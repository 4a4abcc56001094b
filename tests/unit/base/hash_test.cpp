#include "core/base/hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace resilin {
namespace {

std::uint64_t hash_of(const std::string& text) {
  return fnv1a64(text.data(), text.size());
}

TEST(Hash, KnownVectors) {  // from the test suite of the function's authors
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(hash_of(std::string("\xff\x00\x00\x01", 4)), 0x6961196491cc682du);
}

TEST(Hash, HexHasSixteenDigits) {
  EXPECT_EQ(hex64(0), "0000000000000000");
  EXPECT_EQ(hex64(0xAF63dc4c8601ec8cu), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace resilin

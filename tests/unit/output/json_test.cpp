#include "core/output/json.hpp"

#include "tests/unit/output/temp_folder.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace resilin {
namespace {

TEST(Json, NestedWithIndent) {
  JsonWriter json;
  VecX v(3);
  v << 1, 0.1, -2.5e-300;
  json.begin_object().field("name", "a").field("n", 3).field("ok", true).field("v", v);
  json.key("list").begin_array().value(1.5).null().begin_object().end_object().begin_array().end_array();
  json.end_array().key("raw").raw("{\"x\": 1}").end_object();
  EXPECT_EQ(json.text(),
            "{\n"
            "  \"name\": \"a\",\n"
            "  \"n\": 3,\n"
            "  \"ok\": true,\n"
            "  \"v\": [1, 0.1, -2.5e-300],\n"
            "  \"list\": [\n"
            "    1.5,\n"
            "    null,\n"
            "    {},\n"
            "    []\n"
            "  ],\n"
            "  \"raw\": {\"x\": 1}\n"
            "}");
}

std::string text_of(double number) {
  return JsonWriter().value(number).text();
}

TEST(Json, ShortestNumbersThatReadBack) {
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text_of(-0.0), "-0");
  EXPECT_EQ(text_of(5e-324), "5e-324");
  EXPECT_EQ(text_of(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(JsonWriter().value(std::numeric_limits<Index>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(JsonWriter().value(VecX()).text(), "[]");
}

TEST(Json, Escapes) {
  EXPECT_EQ(json_escape("a\"b\\c\n\t\r\b\f"), "a\\\"b\\\\c\\n\\t\\r\\b\\f");
  EXPECT_EQ(json_escape(std::string("\0\x1f", 2)), "\\u0000\\u001f");
  EXPECT_EQ(json_escape("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"), "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(JsonWriter().value(std::string("\"")).text(), "\"\\\"\"");
}

TEST(Json, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(json_escape("a\xE4z"), "a\\ufffdz");                       // Latin-1
  EXPECT_EQ(json_escape("\xC0\x80"), "\\ufffd\\ufffd");                // overlong
  EXPECT_EQ(json_escape("\xED\xA0\x80"), "\\ufffd\\ufffd\\ufffd");     // surrogate
  EXPECT_EQ(json_escape("\xF4\x90\x80\x80").substr(0, 6), "\\ufffd");  // beyond Unicode
  EXPECT_EQ(json_escape("\xE2\x82"), "\\ufffd\\ufffd");                // cut off
}

TEST(Json, MisuseIsABug) {
  expect_error(Errc::Internal, "needs a key", [] { JsonWriter().begin_object().value(1); });
  expect_error(Errc::Internal, "outside of an object", [] { JsonWriter().begin_array().key("a"); });
  expect_error(Errc::Internal, "without its begin", [] { JsonWriter().begin_array().end_object(); });
  expect_error(Errc::Internal, "without its begin", [] { JsonWriter().end_array(); });
  expect_error(Errc::Internal, "without a value", [] { JsonWriter().begin_object().key("a").end_object(); });
  expect_error(Errc::Internal, "without a value", [] { JsonWriter().begin_object().key("a").key("b"); });
  expect_error(Errc::Internal, "second value", [] { JsonWriter().value(1).value(2); });
}

}  // namespace
}  // namespace resilin

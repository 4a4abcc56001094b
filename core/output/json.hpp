// Writing JSON: enough for summaries and schemas, in the order in which it is written.
#pragma once

#include "core/base/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace resilin {

/// Builds an indented JSON text. Numbers are written with the fewest digits that read back to the same bits;
/// NaN and infinities become null. Throws Error(Internal) on calls that cannot make JSON (a value without a
/// key in an object, an end without its begin, a second value at the top).
class RESILIN_API JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(Index number);
  JsonWriter& value(int number) { return value(static_cast<Index>(number)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(const ConstVec& numbers);  ///< array on one line
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  ///< inserts finished JSON as one value
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  const std::string& text() const { return out_; }  ///< complete when every begin has its end

 private:
  JsonWriter& begin(char kind);
  JsonWriter& end(char kind);
  JsonWriter& put(std::string_view json);
  void separate();
  void start_value();
  void indent();
  std::string out_;
  std::vector<char> open_;  ///< 'o' object or 'a' array per level, capital once it has an entry
  bool after_key_ = false;
};

/// The text as it stands between the quotes of a JSON string; bytes that are not UTF-8 become U+FFFD.
RESILIN_API std::string json_escape(std::string_view text);

}  // namespace resilin

// A strict JSON reader for tests: what it accepts is JSON.
#pragma once

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace resilin {

struct JsonValue {
  enum class Kind { Null, Bool, Number, Text, Array, Object } kind = Kind::Null;
  bool flag = false;
  double number = 0;
  std::string text;  ///< of a text, escapes resolved (those above U+007F as they stand)
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> members;

  bool has(const std::string& key) const { return members.count(key) > 0; }
  const JsonValue& at(const std::string& key) const {
    const auto found = members.find(key);
    if (found == members.end()) throw std::runtime_error("no member '" + key + "'");
    return found->second;
  }
  const JsonValue& at(std::size_t i) const { return items.at(i); }
};

class JsonReader {
 public:
  /// Throws std::runtime_error unless the whole text is one JSON value without duplicate keys.
  static JsonValue read(std::string_view text) {
    JsonReader reader(text);
    JsonValue value = reader.value();
    reader.blanks();
    if (reader.at_ != text.size()) reader.fail("text after the value");
    return value;
  }

 private:
  explicit JsonReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("JSON, byte " + std::to_string(at_) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool accept(char c) {
    blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected ") + c);
  }
  bool accept_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  JsonValue value() {
    blanks();
    JsonValue v;
    if (peek() == '{') return object();
    if (peek() == '[') return array();
    if (peek() == '"') {
      v.kind = JsonValue::Kind::Text;
      v.text = string();
    } else if (accept_word("true") || accept_word("false")) {
      v.kind = JsonValue::Kind::Bool;
      v.flag = text_.substr(at_ - 4, 4) == "true";
    } else if (!accept_word("null")) {
      v.kind = JsonValue::Kind::Number;
      v.number = number();
    }
    return v;
  }

  JsonValue object() {
    JsonValue v;
    v.kind = JsonValue::Kind::Object;
    expect('{');
    if (accept('}')) return v;
    do {
      blanks();
      if (peek() != '"') fail("expected a key");
      std::string key = string();
      expect(':');
      if (!v.members.emplace(std::move(key), value()).second) fail("duplicate key");
    } while (accept(','));
    expect('}');
    return v;
  }

  JsonValue array() {
    JsonValue v;
    v.kind = JsonValue::Kind::Array;
    expect('[');
    if (accept(']')) return v;
    do v.items.push_back(value());
    while (accept(','));
    expect(']');
    return v;
  }

  std::string string() {
    std::string out;
    for (++at_; peek() != '"'; ++at_) {
      if (at_ >= text_.size()) fail("unterminated text");
      if (static_cast<unsigned char>(peek()) < 0x20) fail("control character in a text");
      if (peek() != '\\')
        out += peek();
      else
        out += escape();
    }
    ++at_;
    return out;
  }

  /// Leaves at_ on the last character of the escape.
  std::string escape() {
    ++at_;
    const std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const std::size_t known = letters.find(peek());
    if (peek() != '\0' && known != std::string_view::npos) return std::string(1, meanings[known]);
    if (peek() != 'u') fail("unknown escape");
    const std::string_view digits = text_.substr(at_ + 1, 4);
    unsigned code = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) fail("malformed \\u");
    at_ += 4;
    return code < 0x80 ? std::string(1, static_cast<char>(code)) : "\\u" + std::string(digits);
  }

  double number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    if (digits() > 1 && zero) fail("leading zero");
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    double parsed = 0;
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (std::from_chars(token.data(), token.data() + token.size(), parsed).ec != std::errc())
      fail("bad number");
    return parsed;
  }
  std::size_t digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == begin) fail("expected a digit");
    return at_ - begin;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace resilin

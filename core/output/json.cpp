#include "core/output/json.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace resilin {
namespace {

[[noreturn]] void misuse(const char* what) {
  throw Error(Errc::Internal, fmt::format("JSON writer: {}", what));
}

std::string number_text(double number) {
  if (!std::isfinite(number)) return "null";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  if (error != std::errc{}) misuse("a number does not fit its buffer");
  return std::string(buffer, end);
}

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0  // a continuation byte, or an overlong form
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
  if (first == 0xED && byte(1) >= 0xA0) return 0;  // surrogates
  if (first == 0xF0 && byte(1) < 0x90) return 0;   // overlong
  if (first == 0xF4 && byte(1) >= 0x90) return 0;  // above U+10FFFF
  return length;
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

std::string json_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0)
      out += "\\ufffd";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      append_control(out, c);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void JsonWriter::indent() {
  out_ += '\n';
  out_.append(2 * open_.size(), ' ');
}

void JsonWriter::separate() {
  if (open_.empty()) {
    if (!out_.empty()) misuse("a second value at the top");
    return;
  }
  char& level = open_.back();
  if (level == 'O' || level == 'A') out_ += ',';
  if (level == 'o') level = 'O';
  if (level == 'a') level = 'A';
  indent();
}

void JsonWriter::start_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!open_.empty() && (open_.back() == 'o' || open_.back() == 'O'))
    misuse("a value in an object needs a key");
  separate();
}

JsonWriter& JsonWriter::put(std::string_view json) {
  start_value();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::begin(char kind) {
  start_value();
  out_ += kind == 'o' ? '{' : '[';
  open_.push_back(kind);
  return *this;
}

JsonWriter& JsonWriter::end(char kind) {
  const char filled = kind == 'o' ? 'O' : 'A';
  if (open_.empty() || (open_.back() != kind && open_.back() != filled)) misuse("an end without its begin");
  if (after_key_) misuse("a key without a value");
  const bool had_entries = open_.back() == filled;
  open_.pop_back();
  if (had_entries) indent();
  out_ += kind == 'o' ? '}' : ']';
  return *this;
}

JsonWriter& JsonWriter::begin_object() {
  return begin('o');
}
JsonWriter& JsonWriter::end_object() {
  return end('o');
}
JsonWriter& JsonWriter::begin_array() {
  return begin('a');
}
JsonWriter& JsonWriter::end_array() {
  return end('a');
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (open_.empty() || (open_.back() != 'o' && open_.back() != 'O')) misuse("a key outside of an object");
  if (after_key_) misuse("a key without a value");
  separate();
  out_ += fmt::format("\"{}\": ", json_escape(name));
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  return put(fmt::format("\"{}\"", json_escape(text)));
}
JsonWriter& JsonWriter::value(double number) {
  return put(number_text(number));
}
JsonWriter& JsonWriter::value(Index number) {
  return put(std::to_string(number));
}
JsonWriter& JsonWriter::value(bool flag) {
  return put(flag ? "true" : "false");
}

JsonWriter& JsonWriter::value(const ConstVec& numbers) {
  std::string list = "[";
  for (Index i = 0; i < numbers.size(); ++i) (list += i == 0 ? "" : ", ") += number_text(numbers[i]);
  return put(list + "]");
}

JsonWriter& JsonWriter::null() {
  return put("null");
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  if (json.empty()) misuse("raw JSON is empty");
  return put(json);
}

}  // namespace resilin

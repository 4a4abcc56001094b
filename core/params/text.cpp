#include "core/params/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace resilin::detail {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Appends `c` as YAML, JSON and C all escape it, or with the given format if they have no letter for it.
void append_escaped(std::string& out, char c, const char* hex_format) {
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
    default:
      out += fmt::format(fmt::runtime(hex_format), static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
}

std::string escape_in_double_quotes(std::string_view text, const char* hex_format) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_control(c)) {
      append_escaped(out, c, hex_format);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// Without the plus sign, which std::from_chars does not know.
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

bool names_no_finite_number(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  const std::string word = lower(text);
  return word == "inf" || word == "infinity" || word == "nan";
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::size_t end = text.size();
  if (end > kLongest) {
    end = kLongest;
    // Not within a character of several bytes.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  }
  std::string out;
  for (const char c : text.substr(0, end)) {
    if (is_control(c)) {
      append_escaped(out, c, "\\x{:02x}");
    } else {
      out += c;
    }
  }
  return end < text.size() ? out + "..." : out;
}

std::string in_quotes(std::string_view text) {
  return "'" + printable(text) + "'";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string join_path(const std::string& parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

std::string indexed(const std::string& path, std::size_t i) {
  return fmt::format("{}[{}]", path, i);
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

std::string range_text(const Spec& spec) {
  const bool below = std::isfinite(spec.min);
  const bool above = std::isfinite(spec.max);
  if (!below && !above) return {};
  return fmt::format("{}{}, {}{}", below && !spec.open ? '[' : '(', spec.min, spec.max,
                     above && !spec.open ? ']' : ')');
}

bool in_range(double value, const Spec& spec) {
  return spec.open ? value > spec.min && value < spec.max : value >= spec.min && value <= spec.max;
}

std::string with_unit(const std::string& value, const Spec& spec) {
  return *spec.unit == '\0' ? value : value + " " + spec.unit;
}

NumberError parse_real(std::string_view text, double& value) {
  if (names_no_finite_number(text)) return NumberError::NotFinite;
  const std::string_view digits = without_plus(text);
  double parsed = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (end != digits.data() + digits.size() || code == std::errc::invalid_argument) {
    return NumberError::NotANumber;
  }
  if (code == std::errc::result_out_of_range) return NumberError::TooLargeOrSmall;
  if (!std::isfinite(parsed)) return NumberError::NotFinite;
  value = parsed;
  return NumberError::None;
}

NumberError parse_integer(std::string_view text, Index& value) {
  const std::string_view digits = without_plus(text);
  Index parsed = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (end == digits.data() + digits.size() && !digits.empty()) {
    if (code == std::errc::result_out_of_range) return NumberError::TooLargeOrSmall;
    if (code == std::errc()) {
      value = parsed;
      return NumberError::None;
    }
  }
  double real = 0;
  const NumberError error = parse_real(text, real);
  if (error != NumberError::None) return error;
  if (real != std::floor(real)) return NumberError::NotANumber;
  // Beyond 2^53 a number written with a point or an exponent no longer says which integer is meant.
  if (std::abs(real) > 9007199254740992.0) return NumberError::TooLargeOrSmall;
  value = static_cast<Index>(real);
  return NumberError::None;
}

std::string yaml_double_quoted(std::string_view text) {
  return escape_in_double_quotes(text, "\\x{:02x}");
}

std::string yaml_text(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords = {"null", "true", "false", "yes", "no",
                                                             "on",   "off",  "inf",   "nan"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto safe = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
  };
  const bool plain = !text.empty() && (letter(text[0]) || text[0] == '/') &&
                     std::all_of(text.begin(), text.end(), safe) &&
                     std::find(kWords.begin(), kWords.end(), lower(text)) == kWords.end();
  return plain ? std::string(text) : yaml_double_quoted(text);
}

std::string json_text(std::string_view text) {
  return escape_in_double_quotes(text, "\\u{:04x}");
}

std::string indent(std::string_view text, int blanks) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(static_cast<std::size_t>(blanks), ' ');
  }
  return out;
}

}  // namespace resilin::detail

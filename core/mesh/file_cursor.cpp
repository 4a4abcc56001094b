#include "core/mesh/file_cursor.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace resilin::mesh_detail {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

template <class T>
bool parse_number(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

}  // namespace

std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

bool parse_real(std::string_view word, double& value) {
  return parse_number(word, value);
}
bool parse_integer(std::string_view word, long long& value) {
  return parse_number(word, value);
}

std::string shown(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return word.size() > longest ? text + "..." : text;
}

FileCursor::FileCursor(const std::string& file) : file_(file), content_(read_file(file)) {}

void FileCursor::fail(const std::string& message) const {
  if (binary_) throw Error(Errc::Input, message, fmt::format("{}: byte {}", file_, item_));
  throw Error(Errc::Input, message, to_string(Place{file_, item_line_, 0}));
}

void FileCursor::advance_to(std::size_t position) {
  const auto begin = content_.begin();
  next_line_ += static_cast<int>(std::count(begin + static_cast<std::ptrdiff_t>(position_),
                                            begin + static_cast<std::ptrdiff_t>(position), '\n'));
  position_ = position;
}

std::string_view FileCursor::line() {
  item_ = position_;
  item_line_ = next_line_;
  const std::size_t end = std::min(content_.find('\n', position_), content_.size());
  std::string_view text = std::string_view(content_).substr(position_, end - position_);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  advance_to(std::min(end + 1, content_.size()));
  return text;
}

std::string_view FileCursor::word() {
  std::size_t begin = content_.find_first_not_of(kSpace, position_);
  if (begin == std::string::npos) {
    // The last line that holds anything is where something is missing.
    advance_to(content_.size());
    item_ = position_;
    item_line_ = std::max(1, next_line_ - (!content_.empty() && content_.back() == '\n' ? 1 : 0));
    return {};
  }
  advance_to(begin);
  item_ = begin;
  item_line_ = next_line_;
  const std::size_t end = std::min(content_.find_first_of(kSpace, begin), content_.size());
  position_ = end;
  return std::string_view(content_).substr(begin, end - begin);
}

void FileCursor::end_line() {
  const std::string_view rest = line();
  if (rest.find_first_not_of(kSpace) != std::string_view::npos)
    fail(fmt::format("expected the end of the line, not '{}'", shown(rest)));
}

long long FileCursor::integer(const char* what, long long low, long long high) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the file ends where {} was expected", what));
  long long value = 0;
  if (!parse_integer(text, value)) fail(fmt::format("expected {} (an integer), not '{}'", what, shown(text)));
  if (value < low || value > high)
    fail(fmt::format("{} is {}; expected an integer from {} to {}", what, value, low, high));
  return value;
}

double FileCursor::real(const char* what) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the file ends where {} was expected", what));
  double value = 0;
  if (!parse_real(text, value)) fail(fmt::format("expected {} (a number), not '{}'", what, shown(text)));
  return value;
}

void FileCursor::require_room(Index count, Index bytes, const char* what) const {
  if (count > static_cast<Index>(remaining()) / bytes)
    fail(fmt::format("{} {} are announced, but only {} bytes follow", count, what, remaining()));
}

void FileCursor::require_numbers(Index count, const char* what) const {
  if (count > (static_cast<Index>(remaining()) + 1) / 2)
    fail(fmt::format("{} {} are announced, but only {} bytes follow", count, what, remaining()));
}

void FileCursor::take_bytes(char* bytes, std::size_t count, const char* what) {
  binary_ = true;
  item_ = position_;
  if (remaining() < count) fail(fmt::format("the file ends where {} was expected", what));
  std::memcpy(bytes, content_.data() + position_, count);
  position_ += count;
}

void FileCursor::skip_bytes(Index count, const char* what) {
  require_room(count, 1, what);
  binary_ = true;
  position_ += static_cast<std::size_t>(count);
}

void FileCursor::skip_past(std::string_view text) {
  const std::size_t found = content_.find(text, position_);
  if (found == std::string::npos) fail(fmt::format("expected {} before the end of the file", text));
  advance_to(found + text.size());
}

}  // namespace resilin::mesh_detail

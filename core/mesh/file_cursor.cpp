#include "core/mesh/file_cursor.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

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

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string extension_of(const std::string& file) {
  const std::size_t dot = file.find_last_of("./");
  std::string extension = dot == std::string::npos || file[dot] == '/' ? "" : file.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool parse_real(std::string_view word, double& value) {
  if (parse_number(word, value)) return true;
  const std::size_t d = word.find_first_of("dD");
  if (d != std::string_view::npos && d > 0) {
    std::string text(word);
    text[d] = 'e';
    return text.find_first_of("dD") == std::string::npos && parse_real(text, value);
  }
  // from_chars has no value for a number beyond the range of a double; on the small side that is 0.
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc::result_out_of_range || end != word.data() + word.size()) return false;
  const std::size_t exponent = word.find_first_of("eE");
  const bool is_small = exponent != std::string_view::npos
                            ? exponent + 1 < word.size() && word[exponent + 1] == '-'
                            : word.substr(0, word.find('.')).find_first_of("123456789") == std::string::npos;
  if (is_small) value = 0;
  return is_small;
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

FileCursor::FileCursor(const std::string& file) : FileCursor(file, read_file(file)) {}

FileCursor::FileCursor(std::string name, std::string content)
    : file_(std::move(name)), content_(std::move(content)) {}

void FileCursor::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (content_.starts_with(mark)) position_ = mark.size();
}

void FileCursor::fail(const std::string& message) const {
  if (binary_) throw Error(Errc::Input, message, fmt::format("{}: byte {}", file_, item_));
  fail_at_line(item_line_, message);
}

void FileCursor::fail_at_line(int line, const std::string& message) const {
  throw Error(Errc::Input, message, to_string(Place{file_, line, 0}));
}

void FileCursor::move_to(std::size_t position) {
  advance_to(position);
  item_ = position;
  item_line_ = next_line_;
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

std::size_t FileCursor::word_begin() const {
  std::size_t begin = content_.find_first_not_of(kSpace, position_);
  while (comment_ != '\0' && begin != std::string::npos && content_[begin] == comment_)
    begin = content_.find_first_not_of(kSpace, std::min(content_.find('\n', begin), content_.size()));
  return begin;
}

std::string_view FileCursor::word() {
  const std::size_t begin = word_begin();
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
  std::size_t end = std::min(content_.find_first_of(kSpace, begin), content_.size());
  const std::string_view text = std::string_view(content_).substr(begin, end - begin);
  if (comment_ != '\0') end = begin + std::min(text.find(comment_), text.size());
  position_ = end;
  return text.substr(0, end - begin);
}

std::string_view FileCursor::data_line(const char* what) {
  while (!at_end()) {
    std::string_view text = line();
    if (comment_ != '\0') text = text.substr(0, text.find(comment_));
    if (text.find_first_not_of(kSpace) != std::string_view::npos) return text;
  }
  fail(fmt::format("the file ends where {} was expected", what));
}

void FileCursor::end_line() {
  const std::string_view rest = line();
  if (rest.find_first_not_of(kSpace) != std::string_view::npos)
    fail(fmt::format("expected the end of the line, not '{}'", shown(rest)));
}

long long FileCursor::integer(const char* what, long long low, long long high) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the file ends where {} was expected", what));
  return integer_of(text, what, low, high);
}

double FileCursor::real(const char* what) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the file ends where {} was expected", what));
  return real_of(text, what);
}

double FileCursor::coordinate() {
  return finite(real("a coordinate"), "a coordinate");
}

void FileCursor::expect(std::string_view keyword) {
  const std::string_view text = word();
  if (upper(text) != upper(keyword)) fail(fmt::format("expected {}, not '{}'", keyword, shown(text)));
}

void FileCursor::expect_end() {
  const std::string_view text = word();
  if (!text.empty()) fail(fmt::format("expected the end of the file, not '{}'", shown(text)));
}

long long FileCursor::integer_of(std::string_view text, const char* what, long long low,
                                 long long high) const {
  long long value = 0;
  if (text.empty()) fail(fmt::format("the line ends where {} was expected", what));
  if (!parse_integer(text, value)) fail(fmt::format("expected {} (an integer), not '{}'", what, shown(text)));
  return in_range(value, what, low, high);
}

double FileCursor::real_of(std::string_view text, const char* what) const {
  double value = 0;
  if (text.empty()) fail(fmt::format("the line ends where {} was expected", what));
  if (!parse_real(text, value)) fail(fmt::format("expected {} (a number), not '{}'", what, shown(text)));
  return value;
}

double FileCursor::coordinate_of(std::string_view text) const {
  return finite(real_of(text, "a coordinate"), "a coordinate");
}

long long FileCursor::in_range(long long value, const char* what, long long low, long long high) const {
  if (value < low || value > high)
    fail(fmt::format("{} is {}; expected an integer from {} to {}", what, value, low, high));
  return value;
}

double FileCursor::finite(double value, const char* what) const {
  if (!std::isfinite(value)) fail(fmt::format("{} is {}; expected a finite number", what, value));
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
  binary_ = true;
  item_ = position_;
  require_room(count, 1, what);
  position_ += static_cast<std::size_t>(count);
}

void FileCursor::expect_no_bytes() {
  if (at_end()) return;
  binary_ = true;
  item_ = position_;
  fail(fmt::format("{} bytes are left over", remaining()));
}

void FileCursor::skip_past(std::string_view text) {
  const std::size_t found = content_.find(text, position_);
  if (found == std::string::npos) fail(fmt::format("expected {} before the end of the file", text));
  advance_to(found + text.size());
}

}  // namespace resilin::mesh_detail

// Walks a mesh file in memory and knows where it stands; shared by the readers.
#pragma once

#include "core/base/types.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace resilin::mesh_detail {

/// Removes and returns the first white-space separated word of `text`; empty if there is none.
std::string_view take_word(std::string_view& text);
std::string upper(std::string_view text);
/// Of a file's name: in lower case, with the dot; empty if there is none.
std::string extension_of(const std::string& file);
/// Whole words only. Allowed are a leading '+', exponents of any width (1e+005) and those of Fortran (1D-3);
/// nan and inf are numbers. What is too small for a double is 0, what is too large is no number.
bool parse_real(std::string_view word, double& value);
bool parse_integer(std::string_view word, long long& value);
/// A word of a file as it may stand in a message: printable and of limited length.
std::string shown(std::string_view word);

class FileCursor {
 public:
  /// Reads the whole file; throws Error(Io).
  explicit FileCursor(const std::string& file);
  /// A file in memory; `name` stands for the file in messages.
  FileCursor(std::string name, std::string content);

  /// At the beginning: passes over the mark that says UTF-8.
  void skip_byte_order_mark();

  /// Error(Input) at the item read last: "file:line: message", from the first binary data on
  /// "file: byte N: message".
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_at_line(int line, const std::string& message) const;

  const std::string& file() const { return file_; }
  bool at_end() const { return position_ >= content_.size(); }
  std::size_t remaining() const { return content_.size() - position_; }
  int line_number() const { return item_line_; }
  std::size_t position() const { return position_; }
  std::string_view content() const { return content_; }
  /// From now on, words end at `mark`, and what follows it up to the end of the line is passed over.
  void set_comment(char mark) { comment_ = mark; }
  /// Moves on to a place further down, which becomes the item read last.
  void move_to(std::size_t position);

  std::string_view line();  ///< up to the end of the line, which is passed over; without CR and LF
  std::string_view word();  ///< the next word, over line ends; empty at the end of the file
  void end_line();          ///< passes over the end of the line; fails if anything else stands before it
  /// The next line that holds anything besides a comment, without the comment; fails at the end of the file.
  std::string_view data_line(const char* what);

  long long integer(const char* what, long long low, long long high);
  double real(const char* what);
  double coordinate();                    ///< a finite real
  void expect(std::string_view keyword);  ///< the next word, in capitals or not
  void expect_end();                      ///< fails if another word follows
  /// A number from a word of the item read last; an empty word is the end of a line.
  long long integer_of(std::string_view word, const char* what, long long low, long long high) const;
  double real_of(std::string_view word, const char* what) const;
  double coordinate_of(std::string_view word) const;
  /// Returns `value`, or fails.
  long long in_range(long long value, const char* what, long long low, long long high) const;
  double finite(double value, const char* what) const;
  /// Fails unless `count` items of at least `bytes` each may still follow: before memory is taken for them.
  void require_room(Index count, Index bytes, const char* what) const;
  /// The same for numbers as text (a digit and a separator each; the last may lack one).
  void require_numbers(Index count, const char* what) const;

  /// Raw bytes as a number of type T; `swap` if the file's byte order is not this machine's.
  template <class T>
  T binary(bool swap, const char* what) {
    char bytes[sizeof(T)];
    take_bytes(bytes, sizeof(T), what);
    if (swap)
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  void skip_bytes(Index count, const char* what);
  void expect_no_bytes();  ///< fails if anything follows
  /// Moves to just behind the next occurrence of `text`; fails if there is none.
  void skip_past(std::string_view text);

 private:
  void take_bytes(char* bytes, std::size_t count, const char* what);
  std::size_t word_begin() const;
  void advance_to(std::size_t position);

  std::string file_;
  std::string content_;
  std::size_t position_ = 0;
  int next_line_ = 1;    ///< line of position_
  int item_line_ = 1;    ///< line of the item read last
  bool binary_ = false;  ///< binary data was read, so that lines mean nothing any more
  char comment_ = '\0';
  std::size_t item_ = 0;  ///< where the item read last begins
};

}  // namespace resilin::mesh_detail

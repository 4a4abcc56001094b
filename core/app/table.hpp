// Tables of text with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace resilin::app {

class Table {
 public:
  /// A heading that begins with '>' aligns its column to the right.
  explicit Table(std::vector<std::string> headings);
  void add(std::vector<std::string> row);
  std::string text() const;  ///< headings, a rule, rows

 private:
  std::string line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> right_;
};

/// A number for a table: six digits.
std::string short_number(double value);

}  // namespace resilin::app

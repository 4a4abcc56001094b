#include "core/app/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace resilin::app {
namespace {

/// Characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    right_.push_back(!heading.empty() && heading[0] == '>');
    if (right_.back()) heading.erase(0, 1);
  }
  rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> row) {
  row.resize(right_.size());
  rows_.push_back(std::move(row));
}

std::string Table::line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string blanks(widths[i] - width_of(row[i]), ' ');
    if (i > 0) text += "  ";
    text += right_[i] ? blanks + row[i] : row[i] + blanks;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string Table::text() const {
  std::vector<std::size_t> widths(right_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  std::string text = line(rows_[0], widths) + line(rule, widths);
  for (std::size_t i = 1; i < rows_.size(); ++i) text += line(rows_[i], widths);
  return text;
}

std::string short_number(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace resilin::app

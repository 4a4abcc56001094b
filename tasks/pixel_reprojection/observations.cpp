#include "tasks/pixel_reprojection/observations.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace resilin {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> entries_of(std::string_view line) {
  std::vector<std::string_view> entries;
  while (true) {
    const std::size_t comma = line.find(',');
    entries.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return entries;
    line.remove_prefix(comma + 1);
  }
}

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() && !text.empty();
}

class Reader {
 public:
  Reader(const std::string& file, const std::vector<std::string>& markers) : file_(file), markers_(markers) {}

  void read(std::string_view line) {
    ++line_;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return;
    const std::vector<std::string_view> entries = entries_of(line);
    if (!has_header_) {
      if (entries != std::vector<std::string_view>{"frame", "marker", "u", "v"})
        fail("expected the header 'frame,marker,u,v'");
      has_header_ = true;
      return;
    }
    if (entries.size() != 4) fail(fmt::format("expected 4 entries, got {}", entries.size()));
    add(entries);
  }

  std::vector<Observation> finish() {
    if (!has_header_) fail("expected the header 'frame,marker,u,v', but the file is empty");
    if (all_.empty()) fail("no row follows the header");
    std::sort(all_.begin(), all_.end(), [](const Observation& a, const Observation& b) {
      return std::tie(a.frame, a.marker) < std::tie(b.frame, b.marker);
    });
    return std::move(all_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(Errc::Input, fmt::format("{}:{}: {}", file_, std::max(line_, 1), message));
  }
  void add(const std::vector<std::string_view>& entries) {
    Observation o;
    if (!parse(entries[0], o.frame) || o.frame < 0)
      fail(fmt::format("'{}' is no number of a frame: 0, 1, ...", entries[0]));
    const auto marker = std::find(markers_.begin(), markers_.end(), entries[1]);
    if (marker == markers_.end())
      fail(fmt::format("no marker is called '{}'{}", entries[1], suggest(std::string(entries[1]), markers_)));
    o.marker = static_cast<std::size_t>(marker - markers_.begin());
    for (const Index i : {0, 1}) {
      const std::string_view text = entries[static_cast<std::size_t>(2 + i)];
      if (!parse(text, o.pixel[i]) || !std::isfinite(o.pixel[i]))
        fail(fmt::format("'{}' is no pixel coordinate", text));
    }
    const auto [before, is_new] = seen_.emplace(std::pair(o.frame, o.marker), line_);
    if (!is_new)
      fail(fmt::format("marker '{}' has a place in frame {} already, in line {}", entries[1], o.frame,
                       before->second));
    all_.push_back(o);
  }

  const std::string& file_;
  const std::vector<std::string>& markers_;
  std::vector<Observation> all_;
  std::map<std::pair<Index, std::size_t>, int> seen_;  ///< lines
  int line_ = 0;
  bool has_header_ = false;
};

}  // namespace

std::vector<Observation> read_observations(const std::string& file, const std::vector<std::string>& markers) {
  const std::string text = read_file(file);
  Reader reader(file, markers);
  std::string_view rest = text;
  if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);  // the mark that says UTF-8
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    reader.read(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return reader.finish();
}

}  // namespace resilin

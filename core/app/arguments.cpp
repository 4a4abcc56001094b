#include "core/app/arguments.hpp"

#include "core/base/error.hpp"
#include "core/params/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace resilin::app {
namespace {

const Option& find_option(const std::string& name, const std::vector<Option>& options) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  if (found != options.end()) return *found;
  std::vector<std::string> known;
  for (const Option& o : options) known.push_back(o.name);
  throw Error(Errc::Input, fmt::format("unknown option '{}'{}", name, suggest(name, known)));
}

template <class T>
T number(const std::string& option, const std::string& text, const char* what, T min, T max) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  // A NaN fails both comparisons.
  if (code != std::errc() || end != text.data() + text.size() || !(value >= min && value <= max))
    throw Error(Errc::Input,
                fmt::format("{}: expected {} from {} to {}, found '{}'", option, what, min, max, text));
  return value;
}

}  // namespace

Arguments::Arguments(const std::vector<std::string>& line, const std::vector<Option>& options) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string& word = line[i];
    if (word == "--") {
      words_.insert(words_.end(), line.begin() + static_cast<std::ptrdiff_t>(i) + 1, line.end());
      return;
    }
    if (word.size() < 2 || word[0] != '-') {
      words_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option& option = find_option(name, options);
    if (option.value.empty()) {
      if (equals != std::string::npos) throw Error(Errc::Input, fmt::format("{} takes no value", name));
      values_[name].emplace_back();
    } else if (equals != std::string::npos) {
      values_[name].push_back(word.substr(equals + 1));
    } else if (i + 1 < line.size()) {
      values_[name].push_back(line[++i]);
    } else {
      throw Error(Errc::Input, fmt::format("{} needs a value: {} {}", name, name, option.value));
    }
  }
}

std::vector<std::string> Arguments::all(const std::string& option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::text(const std::string& option, const std::string& fallback) const {
  const auto found = values_.find(option);
  return found == values_.end() ? fallback : found->second.back();
}

double Arguments::real(const std::string& option, double fallback, double min, double max) const {
  return has(option) ? number<double>(option, text(option, {}), "a number", min, max) : fallback;
}

Index Arguments::integer(const std::string& option, Index fallback, Index min, Index max) const {
  return has(option) ? number<Index>(option, text(option, {}), "a whole number", min, max) : fallback;
}

}  // namespace resilin::app

// Damages a file in one of the ways that files get damaged, or that attackers think of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace resilin::test {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// One to four changes.
  std::string operator()(std::string text) {
    for (std::size_t n = 1 + below(4); n > 0; --n) change(text);
    return text;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

 private:
  static constexpr std::array<std::string_view, 18> kWords{"-1",
                                                           "0",
                                                           "1",
                                                           "2147483647",
                                                           "2147483648",
                                                           "4294967295",
                                                           "9223372036854775807",
                                                           "99999999999999999999",
                                                           "nan",
                                                           "inf",
                                                           "1e999",
                                                           "-0",
                                                           "",
                                                           "\n",
                                                           "x",
                                                           "1 1 1 1 1 1 1 1",
                                                           "\xFF",
                                                           std::string_view("\0\0\0\0", 4)};

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        if (!text.empty()) text[at] = static_cast<char>(random_());
        break;
      case 2:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 3:  // some bytes twice
        text.insert(at, text, below(text.size()), below(64));
        break;
      case 4:
        text.erase(at, below(64));
        break;
      case 5:  // four bytes as a large or a negative number
        for (std::size_t i = at; i < std::min(at + 4, text.size()); ++i) text[i] = '\xFF';
        break;
      default:
        replace_word(text, at);
    }
  }

  /// A word, most likely a number, becomes another one.
  void replace_word(std::string& text, std::size_t at) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blank, at);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_of(blank, begin), text.size());
    text.replace(begin, end - begin, kWords[below(kWords.size())]);
  }

  std::mt19937_64 random_;
};

}  // namespace resilin::test

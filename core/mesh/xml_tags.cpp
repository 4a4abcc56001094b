#include "core/mesh/xml_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace resilin::mesh_detail {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// Moves behind the end of what begins with `open` at the cursor, such as a comment.
void pass_over(FileCursor& in, std::string_view open, std::string_view close) {
  const std::size_t end = in.content().find(close, in.position() + open.size());
  if (end == std::string_view::npos) in.fail(fmt::format("'{}' is never closed by '{}'", open, close));
  in.move_to(end + close.size());
}

void read_attributes(const FileCursor& in, std::string_view text, XmlTag& tag) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, std::min(text.find_first_of(kBlank), equals));
    if (equals == std::string_view::npos || name.empty())
      in.fail(fmt::format("expected an attribute such as name=\"value\" in <{}>, not '{}'", shown(tag.name),
                          shown(text)));
    text.remove_prefix(equals + 1);
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    const char quote = text.empty() ? '\0' : text.front();
    const std::size_t end = quote == '"' || quote == '\'' ? text.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      in.fail(fmt::format("the value of '{}' in <{}> must stand in quotes", shown(name), shown(tag.name)));
    tag.attributes[std::string(name)] = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  }
}

/// Where the tag that begins at the cursor ends: a '>' outside of quotes.
std::size_t tag_end(const FileCursor& in) {
  const std::string_view all = in.content();
  char quote = '\0';
  for (std::size_t i = in.position() + 1; i < all.size(); ++i) {
    const char c = all[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    } else if (c == '<') {
      break;
    }
  }
  in.fail("a tag is never closed by '>'");
}

}  // namespace

XmlTag next_tag(FileCursor& in) {
  XmlTag tag;
  const std::string_view all = in.content();
  while (true) {
    const std::size_t begin = all.find('<', in.position());
    if (begin == std::string_view::npos) return tag;
    tag.text_before = all.substr(in.position(), begin - in.position());
    in.move_to(begin);
    const std::string_view rest = all.substr(begin);
    if (rest.starts_with("<!--")) {
      pass_over(in, "<!--", "-->");
    } else if (rest.starts_with("<?")) {
      pass_over(in, "<?", "?>");
    } else if (rest.starts_with("<!")) {
      pass_over(in, "<!", ">");
    } else {
      break;
    }
  }
  tag.line = in.line_number();
  const std::size_t end = tag_end(in);
  std::string_view text = all.substr(in.position() + 1, end - in.position() - 1);
  tag.closing = text.starts_with("/");
  if (tag.closing) text.remove_prefix(1);
  tag.empty = !tag.closing && text.ends_with("/");
  if (tag.empty) text.remove_suffix(1);
  const std::size_t name_end = std::min(text.find_first_of(kBlank), text.size());
  tag.name = text.substr(0, name_end);
  if (tag.name.empty()) in.fail("a tag has no name");
  read_attributes(in, text.substr(name_end), tag);
  in.move_to(end + 1);
  return tag;
}

bool Base64Stream::next_group() {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint32_t group = 0;
  std::size_t given = 0, padding = 0;
  while (given + padding < 4) {
    if (text_.empty()) return false;
    const char c = text_.front();
    text_.remove_prefix(1);
    if (kBlank.find(c) != std::string_view::npos) continue;
    const std::size_t digit = digits.find(c);
    if (c == '=' && given >= 2) {
      ++padding;
    } else if (digit != std::string_view::npos && padding == 0) {
      group = group << 6 | static_cast<std::uint32_t>(digit);
      ++given;
    } else {
      return false;
    }
  }
  group <<= 6 * padding;
  for (std::size_t b = 0; b + padding < 3; ++b) pending_ += static_cast<char>(group >> (16 - 8 * b) & 0xFFU);
  return true;
}

bool Base64Stream::take(std::size_t count, std::string& bytes) {
  // Three bytes of four digits: refused before memory is taken.
  if (count > pending_.size() + text_.size()) return false;
  while (pending_.size() < count)
    if (!next_group()) return false;
  bytes.append(pending_, 0, count);
  pending_.erase(0, count);
  return true;
}

}  // namespace resilin::mesh_detail

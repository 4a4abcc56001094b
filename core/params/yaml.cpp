#include "core/params/yaml.hpp"

#include "core/params/text.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unordered_map>

namespace resilin::detail {
namespace {

/// What we refuse, on the way through the parser; its own exceptions are about the syntax.
struct Refusal : YAML::ParserException {
  using ParserException::ParserException;
};

/// Builds the tree while the parser speaks. Events instead of YAML::Node: duplicate keys are seen, limits
/// hold before memory is spent, and marks of keys are kept.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string name, Lines lines, std::size_t& budget, Diagnostics& diagnostics)
      : name_(std::move(name)), lines_(lines), budget_(budget), diagnostics_(diagnostics) {
    root_.place.file = name_;
  }

  TreeNode take_root() { return std::move(root_); }
  Place place(const YAML::Mark& mark) const {
    if (lines_ == Lines::Unknown || mark.line < 0) return {name_, 0, 0};
    return {name_, mark.line + 1, mark.column + 1};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw Refusal(mark, "unexpected text after the end of the document (check the indentation)");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(make(TreeNode::Kind::Null, mark), anchor, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    TreeNode node = make(TreeNode::Kind::Scalar, mark);
    node.scalar = value;
    node.quoted = tag == "!" || tag == kStandardTag + "str";
    check_tag(tag, mark);
    finish(std::move(node), anchor, mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw Refusal(mark, "an alias inside of what it stands for");
    if (open_.size() + depth_of(known->second) > kMaxDepth) refuse_depth(mark);
    spend(count_nodes(known->second), mark);
    finish(known->second, 0, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(TreeNode::Kind::Sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(TreeNode::Kind::Map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    TreeNode node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    bool has_key = false;
    bool merge_key = false;
    TreeNode key = {};
    std::vector<TreeNode> merged = {};                         ///< values of "<<"
    std::unordered_map<std::string, std::size_t> lookup = {};  ///< entry by key
  };

  inline static const std::string kStandardTag = "tag:yaml.org,2002:";

  [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
    throw Refusal(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  void spend(std::size_t nodes, const YAML::Mark& mark) {
    if (nodes > budget_) {
      throw Refusal(mark, fmt::format("more than {} values; put large tables into files", kMaxNodes));
    }
    budget_ -= nodes;
  }
  TreeNode make(TreeNode::Kind kind, const YAML::Mark& mark) {
    spend(1, mark);
    TreeNode node;
    node.kind = kind;
    node.place = place(mark);
    return node;
  }
  void check_tag(const std::string& tag, const YAML::Mark& mark) {
    const bool known = tag.empty() || tag == "?" || tag == "!" || tag.rfind(kStandardTag, 0) == 0;
    if (!known) diagnostics_.error(place(mark), {}, "unknown tag " + in_quotes(tag));
  }
  void start(TreeNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(tag, mark);
    if (open_.size() >= kMaxDepth) refuse_depth(mark);
    open_.push_back({make(kind, mark), anchor, mark});
  }
  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (TreeNode& value : done.merged) merge_into(done, value);
    finish(std::move(done.node), done.anchor, done.mark);
  }

  /// "<<: *base": the entries of the merged map that the map itself does not name.
  void merge_into(Open& target, TreeNode& value) {
    if (value.kind == TreeNode::Kind::Sequence) {
      for (TreeNode& item : value.items) merge_into(target, item);
    } else if (value.kind == TreeNode::Kind::Map) {
      for (TreeNode::Entry& entry : value.entries) {
        if (target.lookup.emplace(entry.key, target.node.entries.size()).second) {
          target.node.entries.push_back(std::move(entry));
        }
      }
    } else {
      diagnostics_.error(value.place, {}, "'<<' needs a map or a list of maps");
    }
  }

  void finish(TreeNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (anchor != 0) {
      spend(count_nodes(node), mark);  // the copy that is kept
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == TreeNode::Kind::Sequence) {
      open_.back().node.items.push_back(std::move(node));
    } else {
      add_to_map(open_.back(), std::move(node), mark);
    }
  }

  void add_to_map(Open& map, TreeNode node, const YAML::Mark& mark) {
    if (!map.has_key) {
      if (node.kind != TreeNode::Kind::Scalar) throw Refusal(mark, "the key of a map must be text");
      map.key = std::move(node);
      map.key.place = place(mark);
      map.has_key = true;
      map.merge_key = map.key.scalar == "<<" && !map.key.quoted;
      return;
    }
    map.has_key = false;
    if (map.merge_key) {
      map.merged.push_back(std::move(node));
      return;
    }
    const auto [found, fresh] = map.lookup.emplace(map.key.scalar, map.node.entries.size());
    if (fresh) {
      map.node.entries.push_back({map.key.scalar, map.key.place, std::move(node)});
    } else {
      const Place& first = map.node.entries[found->second].place;
      const std::string where = first.line > 0 ? fmt::format(" (first given in line {})", first.line) : "";
      diagnostics_.error(map.key.place, {}, "duplicate key " + in_quotes(map.key.scalar) + where);
    }
  }

  std::string name_;
  Lines lines_;
  std::size_t& budget_;
  Diagnostics& diagnostics_;
  int documents_ = 0;
  TreeNode root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, TreeNode> anchors_;
};

/// Length of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// The parser takes byte 4 for the end of the text and passes broken UTF-8 on: both must not come that far.
bool is_clean_text(std::string_view text, const std::string& name, Lines lines, Diagnostics& diagnostics) {
  Place place{name, 1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
    const std::size_t length = utf8_length(text.substr(i));
    if (control || length == 0) {
      if (lines == Lines::Unknown) place = {name, 0, 0};
      diagnostics.error(
          place, {},
          fmt::format("byte 0x{:02x} is no text; a file must be UTF-8 without control characters",
                      static_cast<unsigned>(static_cast<unsigned char>(c))));
      return false;
    }
    i += length;
    ++place.column;
    if (c == '\n') place = {name, place.line + 1, 1};
  }
  return true;
}

bool plain_in_flow(std::string_view text) {
  if (text.empty() || text.find_first_of(",[]{}\"'\\#&*!|>%@`\n") != std::string_view::npos) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.find(": ") != std::string_view::npos) return false;
  return text.front() != '?' && text.front() != ':' && text.back() != ':' && text != "-" &&
         text.rfind("- ", 0) != 0 && text.rfind("---", 0) != 0 && text.rfind("...", 0) != 0;
}

}  // namespace

std::size_t count_nodes(const TreeNode& node) {
  std::size_t count = 1;
  for (const TreeNode& item : node.items) count += count_nodes(item);
  for (const TreeNode::Entry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

std::size_t depth_of(const TreeNode& node) {
  if (node.kind != TreeNode::Kind::Sequence && node.kind != TreeNode::Kind::Map) return 0;
  std::size_t depth = 0;
  for (const TreeNode& item : node.items) depth = std::max(depth, depth_of(item));
  for (const TreeNode::Entry& entry : node.entries) depth = std::max(depth, depth_of(entry.value));
  return depth + 1;
}

TreeNode parse_yaml(std::string_view text, const std::string& name, Lines lines, std::size_t& budget,
                    Diagnostics& diagnostics) {
  Builder builder(name, lines, budget, diagnostics);
  if (!is_clean_text(text, name, lines, diagnostics)) return builder.take_root();
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // A second document is refused by the builder, so this asks at most twice.
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& e) {
    diagnostics.error(builder.place(e.mark), {}, e.msg);
  } catch (const YAML::Exception& e) {
    diagnostics.error(builder.place(e.mark), {}, "invalid YAML: " + e.msg);
  }
  return builder.take_root();
}

std::string flow_text(const TreeNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case TreeNode::Kind::Null:
      return "null";
    case TreeNode::Kind::Scalar:
      return !node.quoted && plain_in_flow(node.scalar) ? node.scalar : yaml_double_quoted(node.scalar);
    case TreeNode::Kind::Sequence:
      for (const TreeNode& item : node.items) parts.push_back(flow_text(item));
      return "[" + join(parts) + "]";
    case TreeNode::Kind::Map:
      for (const TreeNode::Entry& entry : node.entries) {
        parts.push_back(yaml_text(entry.key) + ": " + flow_text(entry.value));
      }
      return "{" + join(parts) + "}";
  }
  return {};
}

std::string resolve_file(const std::string& file, const std::string& base_file, std::string& reason) {
  namespace fs = std::filesystem;
  if (file.find('\0') != std::string::npos) {
    reason = "the name of a file cannot contain a zero byte";
    return {};
  }
  fs::path path(file);
  const bool from_command_line = base_file.rfind(kSetPrefix, 0) == 0;
  if (path.is_relative() && !from_command_line) path = fs::path(base_file).parent_path() / path;
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code).lexically_normal();
  const fs::file_status status = code ? fs::file_status{} : fs::status(absolute, code);
  if (fs::is_regular_file(status)) return absolute.string();
  if (fs::is_directory(status)) {
    reason = fmt::format("{} is a folder, expected a file", printable(absolute.string()));
  } else if (status.type() == fs::file_type::not_found) {
    reason = fmt::format("file {} does not exist (relative names start {})", in_quotes(absolute.string()),
                         from_command_line ? "in the current folder" : "at the file that names them");
  } else {
    reason = fmt::format("{} is not a readable file{}", in_quotes(absolute.string()),
                         code ? ": " + code.message() : std::string{});
  }
  return {};
}

}  // namespace resilin::detail

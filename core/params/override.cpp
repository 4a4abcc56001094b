// Overrides from the command line: "--set path.to.key=value".
#include "core/params/text.hpp"
#include "core/params/tree.hpp"
#include "core/params/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace resilin {
namespace {

/// One step of a path: a name, an index or all entries.
struct Step {
  enum class Kind { Name, Index, All } kind;
  std::string name;
  std::size_t index;
  std::string path;  ///< up to and with this step, for messages
};

class Override {
 public:
  explicit Override(const std::string& assignment)
      : place_{std::string(detail::kSetPrefix) + detail::printable(assignment), 0, 0} {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) fail("expected path.to.key=value");
    parse_path(trim(std::string_view(assignment).substr(0, equals)));
    Diagnostics diagnostics;
    std::size_t budget = detail::kMaxNodes;
    value_ = detail::parse_yaml(std::string_view(assignment).substr(equals + 1), place_.file,
                                detail::Lines::Unknown, budget, diagnostics);
    diagnostics.throw_if_any();
  }

  void apply(TreeNode& root) {
    // First without writing, so that a mistake leaves the tree as it was and the size is known beforehand.
    targets_ = 0;
    check(&root, 0);
    const std::size_t added = targets_ * (detail::count_nodes(value_) + steps_.size());
    if (detail::count_nodes(root) + added > detail::kMaxNodes) {
      fail(fmt::format("more than {} values; put large tables into files", detail::kMaxNodes));
    }
    write(root, 0);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw Error(Errc::Input, message, place_.file); }

  static std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  }

  [[noreturn]] void fail_syntax(std::string_view path) const {
    fail("malformed path " + detail::in_quotes(path) + ", expected names like a.b[0].c or a.b[*].c");
  }

  void parse_path(std::string_view path) {
    std::size_t at = 0;
    bool name_next = true;
    while (at < path.size() || name_next) {
      if (name_next) {
        const std::size_t end = std::min(path.find_first_of(".[]= \t*\"'{}:,#", at), path.size());
        if (end == at) fail_syntax(path);
        steps_.push_back(
            {Step::Kind::Name, std::string(path.substr(at, end - at)), 0, std::string(path.substr(0, end))});
        at = end;
        name_next = false;
      } else if (path[at] == '.') {
        ++at;
        name_next = true;
      } else if (path[at] == '[') {
        at = parse_index(path, at);
      } else {
        fail_syntax(path);
      }
    }
    if (steps_.size() > detail::kMaxDepth) fail(fmt::format("more than {} levels", detail::kMaxDepth));
  }

  /// Reads "[3]" or "[*]" at `at`; returns what follows.
  std::size_t parse_index(std::string_view path, std::size_t at) {
    const std::size_t close = path.find(']', at);
    if (close == std::string_view::npos) fail_syntax(path);
    const std::string_view inner = path.substr(at + 1, close - at - 1);
    const std::string upto(path.substr(0, close + 1));
    if (inner == "*") {
      steps_.push_back({Step::Kind::All, {}, 0, upto});
      return close + 1;
    }
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(inner.data(), inner.data() + inner.size(), index);
    if (inner.empty() || end != inner.data() + inner.size() || code != std::errc()) fail_syntax(path);
    steps_.push_back({Step::Kind::Index, {}, index, upto});
    return close + 1;
  }

  std::string parent(std::size_t i) const {
    return i == 0 ? "the file" : detail::in_quotes(steps_[i - 1].path);
  }

  /// `node` is null where the tree ends and maps will be made.
  void check(const TreeNode* node, std::size_t i) {
    if (i == steps_.size()) {
      if (i + detail::depth_of(value_) > detail::kMaxDepth)
        fail(fmt::format("more than {} levels", detail::kMaxDepth));
      ++targets_;
      return;
    }
    const Step& step = steps_[i];
    const bool nothing = node == nullptr || node->kind == TreeNode::Kind::Null;
    if (step.kind == Step::Kind::Name) {
      if (!nothing && node->kind != TreeNode::Kind::Map && !is_component_word(*node))
        fail(parent(i) + " is not a map");
      check(nothing ? nullptr : node->find(step.name), i + 1);
      return;
    }
    if (nothing) fail(parent(i) + " does not exist or is empty, so it has no entry " + step.path);
    const bool list = node->kind == TreeNode::Kind::Sequence;
    if (step.kind == Step::Kind::Index) {
      if (!list) fail(parent(i) + " is not a list");
      if (step.index >= node->items.size()) {
        fail(fmt::format("there is no {}: {} has {} entries, counted from 0", step.path, parent(i),
                         node->items.size()));
      }
      check(&node->items[step.index], i + 1);
      return;
    }
    if (!list && node->kind != TreeNode::Kind::Map) fail(parent(i) + " is neither a list nor a map");
    if (node->items.empty() && node->entries.empty()) fail(parent(i) + " is empty, so [*] selects nothing");
    for (const TreeNode& item : node->items) check(&item, i + 1);
    for (const TreeNode::Entry& entry : node->entries) check(&entry.value, i + 1);
  }

  /// "forward: newton" is short for "forward: {type: newton}", so forward.tolerance can be set.
  static bool is_component_word(const TreeNode& node) {
    return node.kind == TreeNode::Kind::Scalar && !node.quoted && !node.scalar.empty();
  }

  void write(TreeNode& node, std::size_t i) {
    if (i == steps_.size()) {
      node = value_;
      return;
    }
    const Step& step = steps_[i];
    if (step.kind == Step::Kind::Index) {
      write(node.items[step.index], i + 1);
    } else if (step.kind == Step::Kind::All) {
      for (TreeNode& item : node.items) write(item, i + 1);
      for (TreeNode::Entry& entry : node.entries) write_entry(entry, i + 1);
    } else {
      become_map(node);
      for (TreeNode::Entry& entry : node.entries) {
        if (entry.key == step.name) return write_entry(entry, i + 1);
      }
      node.entries.push_back({step.name, place_, {}});
      write_entry(node.entries.back(), i + 1);
    }
  }

  void write_entry(TreeNode::Entry& entry, std::size_t i) {
    if (i == steps_.size()) entry.place = place_;
    write(entry.value, i);
  }

  void become_map(TreeNode& node) const {
    if (node.kind == TreeNode::Kind::Map) return;
    TreeNode map;
    map.kind = TreeNode::Kind::Map;
    map.place = place_;
    if (node.kind == TreeNode::Kind::Scalar) {
      map.place = node.place;
      map.entries.push_back({"type", node.place, std::move(node)});
    }
    node = std::move(map);
  }

  Place place_;
  std::vector<Step> steps_;
  TreeNode value_;
  std::size_t targets_ = 0;
};

}  // namespace

void apply_override(TreeNode& root, const std::string& assignment) {
  Override(assignment).apply(root);
}

}  // namespace resilin

#include "core/params/tree.hpp"

#include "core/base/file.hpp"
#include "core/params/text.hpp"
#include "core/params/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace resilin {
namespace {

namespace fs = std::filesystem;

/// Maps merge, everything else is replaced; `over` wins.
void merge(TreeNode& base, TreeNode over) {
  if (base.kind != TreeNode::Kind::Map || over.kind != TreeNode::Kind::Map) {
    base = std::move(over);
    return;
  }
  std::unordered_map<std::string, std::size_t> lookup;
  for (std::size_t i = 0; i < base.entries.size(); ++i) lookup.emplace(base.entries[i].key, i);
  base.place = over.place;
  for (TreeNode::Entry& entry : over.entries) {
    const auto found = lookup.find(entry.key);
    if (found == lookup.end()) {
      base.entries.push_back(std::move(entry));
    } else {
      TreeNode::Entry& target = base.entries[found->second];
      target.place = entry.place;
      merge(target.value, std::move(entry.value));
    }
  }
}

/// The same file under all its names.
std::string identity(const std::string& file) {
  std::error_code code;
  const fs::path canonical = fs::weakly_canonical(file, code);
  return code ? file : canonical.string();
}

/// Reads files with what they extend; each file is parsed once, however often it is extended.
class Loader {
 public:
  TreeNode load_text(const std::string& text, const std::string& name) {
    chain_.emplace_back(identity(name), name);
    TreeNode node = detail::parse_yaml(text, name, detail::Lines::Known, budget_, diagnostics_);
    follow_extends(node, name);
    chain_.pop_back();
    return node;
  }

  void throw_if_any() const { diagnostics_.throw_if_any(); }

 private:
  void follow_extends(TreeNode& node, const std::string& file) {
    const auto is_extends = [](const TreeNode::Entry& e) { return e.key == "extends"; };
    const auto entry = std::find_if(node.entries.begin(), node.entries.end(), is_extends);
    if (node.kind != TreeNode::Kind::Map || entry == node.entries.end()) return;
    const TreeNode names = std::move(entry->value);
    node.entries.erase(entry);

    TreeNode base;
    base.kind = TreeNode::Kind::Map;
    std::vector<std::string> seen;
    const bool list = names.kind == TreeNode::Kind::Sequence;
    const std::size_t count = list ? names.items.size() : 1;
    for (std::size_t i = 0; i < count; ++i) extend(base, list ? names.items[i] : names, file, seen);
    merge(base, std::move(node));
    node = std::move(base);
  }

  /// Merges the file that `name` names into `base`.
  void extend(TreeNode& base, const TreeNode& name, const std::string& from, std::vector<std::string>& seen) {
    if (name.kind != TreeNode::Kind::Scalar || name.scalar.empty()) {
      diagnostics_.error(name.place, "extends", "expected the name of a file or a list of names");
      return;
    }
    std::string reason;
    if (detail::resolve_file(name.scalar, from, reason).empty()) {
      diagnostics_.error(name.place, "extends", reason);
      return;
    }
    const fs::path relative(name.scalar);
    const std::string file = (fs::path(from).parent_path() / relative).lexically_normal().string();
    const std::string id = identity(file);
    // A file twice in one list changes nothing but multiplies the work.
    if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
      diagnostics_.error(name.place, "extends", "file " + detail::in_quotes(name.scalar) + " is given twice");
      return;
    }
    seen.push_back(id);
    if (is_cycle(id, file, name.place)) return;
    const TreeNode& other = load_file(file, id, name.place);
    if (other.kind == TreeNode::Kind::Map) {
      merge(base, other);
    } else if (other.kind != TreeNode::Kind::Null) {
      diagnostics_.error(other.place, {}, "expected a map of parameters, as another file extends this one");
    }
  }

  bool is_cycle(const std::string& id, const std::string& file, const Place& place) {
    const auto start =
        std::find_if(chain_.begin(), chain_.end(), [&](const auto& c) { return c.first == id; });
    if (start != chain_.end()) {
      std::string text;
      for (auto link = start; link != chain_.end(); ++link) text += link->second + " -> ";
      diagnostics_.error(place, "extends", "files extend each other in a cycle: " + text + file);
      return true;
    }
    if (chain_.size() < detail::kMaxDepth) return false;
    diagnostics_.error(place, "extends",
                       fmt::format("files extend each other over more than {} levels", detail::kMaxDepth));
    return true;
  }

  const TreeNode& load_file(const std::string& file, const std::string& id, const Place& place) {
    const auto known = loaded_.find(id);
    if (known != loaded_.end()) return known->second;
    TreeNode node;
    try {
      node = load_text(read_file(file), file);
    } catch (const Error& e) {
      // Only reading throws: mistakes in the text are collected.
      diagnostics_.error(place, "extends", e.what());
    }
    return loaded_.emplace(id, std::move(node)).first->second;
  }

  Diagnostics diagnostics_;
  std::size_t budget_ = detail::kMaxNodes;
  std::vector<std::pair<std::string, std::string>> chain_;  ///< identity and name of the files being read
  std::map<std::string, TreeNode> loaded_;
};

/// Edits (insert, remove, replace, swap of neighbours) from `a` to `b`, capitals apart.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

const TreeNode* TreeNode::find(const std::string& key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

TreeNode* TreeNode::find(const std::string& key) {
  return const_cast<TreeNode*>(static_cast<const TreeNode*>(this)->find(key));
}

namespace {

auto key_of(const Mistake& m) {
  return std::tie(m.place.file, m.place.line, m.place.column);
}

std::string one_line_each(const std::vector<Mistake>& list) {
  constexpr std::size_t kMostLines = 1000;
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), kMostLines); ++i) {
    const std::string where = to_string(list[i].place);
    text += (i == 0 ? "" : "\n") + (where.empty() ? "" : where + ": ") + list[i].text;
  }
  if (list.size() > kMostLines) text += fmt::format("\nand {} more mistakes", list.size() - kMostLines);
  return text;
}

Errc common_code(const std::vector<Mistake>& list) {
  const bool all_same =
      std::all_of(list.begin(), list.end(), [&](const Mistake& m) { return m.code == list.front().code; });
  return all_same ? list.front().code : Errc::Input;
}

}  // namespace

Mistakes::Mistakes(std::vector<Mistake> list)
    : Error(common_code(list), one_line_each(list)), list_(std::move(list)) {}
Mistakes::~Mistakes() = default;

void Diagnostics::error(const Place& place, const std::string& path, const std::string& message) {
  errors_.push_back({Errc::Input, place, path.empty() ? message : path + ": " + message});
}

void Diagnostics::collect(const Error& e) {
  if (e.code() == Errc::Internal || e.code() == Errc::Numerics) throw;
  if (const auto* several = dynamic_cast<const Mistakes*>(&e))
    errors_.insert(errors_.end(), several->list().begin(), several->list().end());
  else
    errors_.push_back({e.code(), e.place(), e.message()});
}

void Diagnostics::throw_if_any() const {
  if (errors_.empty()) return;
  std::vector<Mistake> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Mistake& a, const Mistake& b) { return key_of(a) < key_of(b); });
  // The same line twice (a value behind an alias, a shared file) says nothing new.
  const auto same = [](const Mistake& a, const Mistake& b) {
    return key_of(a) == key_of(b) && a.text == b.text;
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  if (sorted.size() == 1) throw Error(sorted[0].code, sorted[0].text, sorted[0].place);
  throw Mistakes(std::move(sorted));
}

TreeNode load_tree(const std::string& file) {
  return parse_tree(read_file(file), file);
}

TreeNode parse_tree(const std::string& text, const std::string& name) {
  Loader loader;
  TreeNode node = loader.load_text(text, name);
  loader.throw_if_any();
  return node;
}

std::string suggest(const std::string& word, const std::vector<std::string>& known) {
  // A nearest word that shares little with what was typed confuses more than it helps.
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  constexpr std::size_t kLongestWord = 100;
  std::size_t best = limit + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known) {
    if (word.size() > kLongestWord || candidate.empty() || word.empty()) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // A word that only has letters exchanged one by one to the last ("E" for "a") is no typing mistake.
    if (distance < best && distance < std::max(word.size(), candidate.size())) {
      best = distance;
      nearest = &candidate;
    }
  }
  const std::string hint = nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
  return hint + " (known: " + (known.empty() ? "none" : detail::join(known)) + ")";
}

}  // namespace resilin

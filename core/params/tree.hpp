// A scene file as a tree of text that still knows where every piece stands.
#pragma once

#include "core/base/error.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// One node of a YAML document after `extends` and --set: nothing is interpreted yet.
struct RESILIN_API TreeNode {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Entry;

  Kind kind = Kind::Null;
  std::string scalar;           ///< text of a scalar
  bool quoted = false;          ///< the scalar stood in quotes (so "1" is text, not a number)
  std::vector<TreeNode> items;  ///< of a sequence
  std::vector<Entry> entries;   ///< of a map, in the order of the file
  Place place;

  const TreeNode* find(const std::string& key) const;  ///< entry of a map, or null
  TreeNode* find(const std::string& key);
};
struct TreeNode::Entry {
  std::string key;
  Place place;  ///< of the key
  TreeNode value;
};

/// One thing that is wrong with a file.
struct Mistake {
  Errc code = Errc::Input;
  Place place;
  std::string text;  ///< without the place
};

/// Several mistakes at once, one line of what() each: Error(Input) unless all have another code in common.
class RESILIN_API Mistakes : public Error {
 public:
  explicit Mistakes(std::vector<Mistake> list);
  ~Mistakes() override;
  const std::vector<Mistake>& list() const noexcept { return list_; }

 private:
  std::vector<Mistake> list_;
};

/// Collects all mistakes of a file, so that a user sees them together.
class RESILIN_API Diagnostics {
 public:
  void error(const Place& place, const std::string& path, const std::string& message);
  /// Adds what an error says, each mistake on its own. An Error(Internal) or (Numerics), which is no mistake
  /// of a file, is thrown again, so this may only be called while e is handled.
  void collect(const Error& e);
  /// Runs `part` and collects the Error that it may throw. Returns whether there was none.
  template <class Part>
  bool attempt(Part&& part) {
    try {
      part();
      return true;
    } catch (const Error& e) {
      collect(e);
      return false;
    }
  }
  bool ok() const { return errors_.empty(); }
  std::size_t count() const { return errors_.size(); }
  /// Throws Error for one mistake, Mistakes for several, ordered by file, line and column; nothing if there
  /// are none.
  void throw_if_any() const;

 private:
  std::vector<Mistake> errors_;
};

/// Reads a file, follows `extends: other.yaml` (a file or a list of files, relative to the file that names
/// them; deep merge: maps merge, everything else is replaced; the extending file wins), refuses duplicate
/// keys and cycles, converts every parser exception into a diagnostic with its place. Throws Error(Input)
/// listing all mistakes, or Error(Io) if the file cannot be read.
RESILIN_API TreeNode load_tree(const std::string& file);

/// The same for a text; `name` stands for the file name in messages and base of relative paths.
RESILIN_API TreeNode parse_tree(const std::string& text, const std::string& name);

/// Applies one "--set path.to.key=value" (value is YAML). Lists are addressed as name[3], all entries of a
/// list or map as name[*]; missing maps are created, missing list entries are an error.
RESILIN_API void apply_override(TreeNode& root, const std::string& assignment);

/// The nearest of `known` to `word` as "; did you mean 'x'?" or "", followed by " (known: a, b, c)".
RESILIN_API std::string suggest(const std::string& word, const std::vector<std::string>& known);

}  // namespace resilin

// From one tree node to one value, with messages that say what was expected; internal to core/params.
#pragma once

#include "core/params/tree.hpp"
#include "core/params/visitor.hpp"

#include <string>
#include <vector>

namespace resilin::detail {

/// Each function reads `node`, which stands at `path`; a mistake goes to the diagnostics, leaves the value as
/// it was and returns false.
class ValueReader {
 public:
  explicit ValueReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool real(const TreeNode& node, const std::string& path, const Spec& spec, double& value) const;
  bool integer(const TreeNode& node, const std::string& path, const Spec& spec, Index& value) const;
  bool flag(const TreeNode& node, const std::string& path, bool& value) const;
  bool text(const TreeNode& node, const std::string& path, std::string& value) const;
  bool word(const TreeNode& node, const std::string& path, const std::vector<std::string>& options,
            std::string& value) const;
  /// The absolute name of an existing file.
  bool file(const TreeNode& node, const std::string& path, std::string& value) const;
  /// A list of numbers; `count` >= 0 demands that many.
  bool reals(const TreeNode& node, const std::string& path, const Spec& spec, Index count, VecX& value) const;
  bool field(const TreeNode& node, const std::string& path, const Spec& spec, Field& value) const;

  bool fail(const TreeNode& node, const std::string& path, const std::string& message) const;
  /// Fails with "expected WHAT, got ...".
  bool expected(const TreeNode& node, const std::string& path, const std::string& what) const;

 private:
  Diagnostics& diagnostics_;
};

}  // namespace resilin::detail

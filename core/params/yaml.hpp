// From YAML text to a TreeNode by the parser's events; internal to core/params.
#pragma once

#include "core/params/tree.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace resilin::detail {

/// Deeper or larger texts are refused: no scene needs them, and recursion and memory stay bounded.
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 1'000'000;

std::size_t count_nodes(const TreeNode& node);
/// Levels of nesting: 0 for a scalar, 1 for a list of scalars.
std::size_t depth_of(const TreeNode& node);

enum class Lines { Known, Unknown };

/// Parses one document. Mistakes go to `diagnostics`; after a syntax error what was complete is returned.
/// `name` is the file of all places, `Lines::Unknown` leaves line and column out of them. `budget` is the
/// number of nodes that may still be made, counted down; a text that needs more is refused.
TreeNode parse_yaml(std::string_view text, const std::string& name, Lines lines, std::size_t& budget,
                    Diagnostics& diagnostics);

/// One line of YAML that reads back to the same node, places apart.
std::string flow_text(const TreeNode& node);

/// `file` as named in `base_file` (which may be a "--set" place: then relative to the current folder), made
/// absolute. Empty, with `reason` set, unless it is an existing regular file (devices and pipes may never
/// end).
std::string resolve_file(const std::string& file, const std::string& base_file, std::string& reason);

/// How places of command-line overrides begin.
constexpr std::string_view kSetPrefix = "--set ";

}  // namespace resilin::detail

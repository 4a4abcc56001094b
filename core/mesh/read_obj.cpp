#include "core/mesh/file_cursor.hpp"
#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

/// Statements without bearing on vertices and faces.
constexpr std::array<std::string_view, 10> kPassedOver{"vt", "vn", "vp",     "g",      "o",
                                                       "s",  "mg", "usemtl", "mtllib", "usemap"};

class ObjReader {
 public:
  explicit ObjReader(FileCursor in) : in_(std::move(in)) {}

  Mesh read() {
    while (!in_.at_end()) {
      const std::string text = statement();
      std::string_view rest = text;
      const std::string_view keyword = take_word(rest);
      if (keyword.empty()) continue;
      if (keyword == "v") {
        vertex(rest);
      } else if (keyword == "f") {
        const std::vector<int> nodes = node_list(rest, 3, "a face");
        parts_.add_fan(nodes.data(), static_cast<Index>(nodes.size()));
      } else if (keyword == "l") {
        const std::vector<int> nodes = node_list(rest, 2, "a line");
        parts_.add_polyline(nodes.data(), static_cast<Index>(nodes.size()));
      } else if (keyword == "p") {
        ++parts_.points;
      } else if (std::find(kPassedOver.begin(), kPassedOver.end(), keyword) == kPassedOver.end()) {
        fail(fmt::format("unknown keyword '{}'; expected v, vt, vn, f, l, p, g, o, s, usemtl or mtllib",
                         shown(keyword)));
      }
    }
    check_forward_references();
    parts_.vertices = Eigen::Map<const Mat3X>(coordinates_.data(), 3, num_vertices());
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  Index num_vertices() const { return static_cast<Index>(coordinates_.size() / 3); }
  [[noreturn]] void fail(const std::string& message) const { in_.fail_at_line(line_, message); }

  /// One line without comment; a backslash at its end joins the next one.
  std::string statement() {
    std::string text;
    bool joined = true;
    for (bool first = true; joined && (first || !in_.at_end()); first = false) {
      std::string_view line = in_.line();
      if (first) line_ = in_.line_number();
      line = line.substr(0, line.find('#'));
      joined = !line.empty() && line.back() == '\\';
      if (joined) line.remove_suffix(1);
      text.append(line).append(" ");
    }
    return text;
  }

  void vertex(std::string_view rest) {
    if (num_vertices() == std::numeric_limits<int>::max()) fail("too many vertices");
    std::size_t given = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest), ++given) {
      double value = 0;
      if (!parse_real(word, value))
        fail(fmt::format("expected a coordinate (a number), not '{}'", shown(word)));
      if (given < 3 && !std::isfinite(value))
        fail(fmt::format("a coordinate is {}; expected a finite number", value));
      if (given < 3) coordinates_.push_back(value);  // a weight or a colour may follow
    }
    if (given < 3) fail(fmt::format("a vertex has {} coordinates; expected three", given));
  }

  /// Vertex indices, 0-based, of words "v", "v/vt", "v//vn" or "v/vt/vn".
  std::vector<int> node_list(std::string_view rest, std::size_t fewest, const char* what) {
    std::vector<int> nodes;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
      nodes.push_back(node(word));
    if (nodes.size() < fewest)
      fail(fmt::format("{} has {} vertices; expected at least {}", what, nodes.size(), fewest));
    return nodes;
  }

  int node(std::string_view word) {
    const std::size_t slash = word.find('/');
    long long index = 0;
    if (!parse_integer(word.substr(0, slash), index))
      fail(fmt::format("expected a vertex index such as 3, 3/1 or 3/1/2, not '{}'", shown(word)));
    for (std::size_t at = slash, parts = 1; at != std::string_view::npos; ++parts) {
      const std::size_t next = word.find('/', at + 1);
      const std::string_view part =
          word.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
      long long ignored = 0;
      if (parts > 2 || (!part.empty() && !parse_integer(part, ignored)))
        fail(fmt::format("expected a vertex index such as 3, 3/1 or 3/1/2, not '{}'", shown(word)));
      at = next;
    }
    const long long zero_based = index < 0 ? num_vertices() + index : index - 1;
    if (index == 0 || zero_based < 0 || zero_based >= std::numeric_limits<int>::max())
      fail(fmt::format("vertex index {} is out of range; {} vertices precede", index, num_vertices()));
    if (zero_based >= num_vertices()) forward_.emplace_back(zero_based, line_);
    return static_cast<int>(zero_based);
  }

  /// Faces may name vertices that follow later in the file.
  void check_forward_references() const {
    for (const auto& [index, line] : forward_)
      if (index >= num_vertices())
        in_.fail_at_line(line, fmt::format("vertex index {} is out of range; the file has {} vertices",
                                           index + 1, num_vertices()));
  }

  FileCursor in_;
  MeshParts parts_;
  std::vector<double> coordinates_;
  std::vector<std::pair<long long, int>> forward_;  ///< 0-based index and line
  int line_ = 0;                                    ///< where the statement begins
};

}  // namespace

Mesh read_obj(FileCursor in) {
  return ObjReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail

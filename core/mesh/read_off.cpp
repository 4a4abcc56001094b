#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr Index kMaxCount = std::numeric_limits<int>::max();
/// With colours, normals and texture coordinates, which follow the three coordinates of a vertex.
constexpr std::array<std::string_view, 8> kHeaders{"OFF",   "COFF",   "NOFF",   "CNOFF",
                                                   "STOFF", "STCOFF", "STNOFF", "STCNOFF"};

class OffReader {
 public:
  explicit OffReader(FileCursor in) : in_(std::move(in)) { in_.set_comment('#'); }

  Mesh read() {
    std::string_view rest = counts_line();
    const Index vertices = in_.integer_of(take_word(rest), "the number of vertices", 0, kMaxCount);
    const Index faces = in_.integer_of(take_word(rest), "the number of faces", 0, kMaxCount);
    in_.require_numbers(3 * vertices, "coordinates");
    parts_.vertices.resize(3, vertices);
    for (Index v = 0; v < vertices; ++v) {
      rest = in_.data_line("a vertex");
      for (Index a = 0; a < 3; ++a) parts_.vertices(a, v) = in_.coordinate_of(take_word(rest));
    }
    in_.require_numbers(faces, "faces");
    for (Index f = 0; f < faces; ++f) face();
    in_.expect_end();
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  /// The line with the numbers of vertices, faces and edges, or what of it follows the word OFF.
  std::string_view counts_line() {
    std::string_view rest = in_.data_line("OFF");
    const std::string_view word = take_word(rest);
    if (std::find(kHeaders.begin(), kHeaders.end(), upper(word)) == kHeaders.end())
      in_.fail(fmt::format("expected OFF (or COFF, NOFF, ...), not '{}'", shown(word)));
    std::string_view look = rest;
    const std::string_view next = take_word(look);
    if (upper(next) == "BINARY") in_.fail("binary OFF cannot be read; save it as text");
    return next.empty() ? in_.data_line("the number of vertices") : rest;
  }

  void face() {
    std::string_view rest = in_.data_line("a face");
    const Index corners = in_.integer_of(take_word(rest), "the number of vertices of a face", 1,
                                         static_cast<Index>(rest.size() + 1) / 2);
    std::vector<int> nodes(static_cast<std::size_t>(corners));
    for (int& node : nodes)
      node =
          static_cast<int>(in_.integer_of(take_word(rest), "a vertex index", 0, parts_.vertices.cols() - 1));
    if (corners == 1) ++parts_.points;
    if (corners == 2) parts_.add_polyline(nodes.data(), 2);
    if (corners > 2) parts_.add_fan(nodes.data(), corners);
  }

  FileCursor in_;
  MeshParts parts_;
};

}  // namespace

Mesh read_off(FileCursor in) {
  return OffReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail

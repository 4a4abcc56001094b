#include "core/mesh/mesh_parts.hpp"
#include "core/mesh/weld.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr bool kSwap = std::endian::native == std::endian::big;  // binary files are little endian
constexpr std::size_t kHeader = 84;                              // a title of 80 bytes, then the count
constexpr Index kFacet = 50;                                     // bytes of a facet
constexpr std::size_t kMaxCorners = std::numeric_limits<int>::max();

/// Facets with the coordinates of their corners; what normals and attributes say is not used.
class StlReader {
 public:
  explicit StlReader(FileCursor in) : in_(std::move(in)) {}

  Mesh read() {
    if (is_binary()) {
      read_binary();
    } else {
      read_text();
    }
    return merged();
  }

 private:
  bool is_binary() const;
  void read_binary();
  void read_text();
  void text_facet();
  void add(double coordinate) {
    if (coordinates_.size() / 3 >= kMaxCorners) in_.fail("too many facets");
    coordinates_.push_back(coordinate);
  }
  Mesh merged();

  FileCursor in_;
  std::vector<double> coordinates_;  ///< of three corners a facet
};

/// The title of a binary file may begin with "solid" too, so the size decides.
bool StlReader::is_binary() const {
  const std::string_view all = in_.content();
  if (all.size() >= kHeader) {
    std::uint32_t facets = 0;
    std::memcpy(&facets, all.data() + kHeader - sizeof(facets), sizeof(facets));
    if (kSwap) facets = __builtin_bswap32(facets);
    if (all.size() == kHeader + static_cast<std::size_t>(kFacet) * facets) return true;
  }
  std::string_view start = all.substr(in_.position());
  return upper(take_word(start)) != "SOLID";
}

void StlReader::read_binary() {
  if (in_.content().size() < kHeader)
    in_.fail("expected the word solid, or a binary file of at least 84 bytes");
  in_.skip_bytes(static_cast<Index>(kHeader - in_.position()) - 4, "bytes of a title");
  const Index facets = in_.binary<std::uint32_t>(kSwap, "the number of facets");
  in_.require_room(facets, kFacet, "facets");
  coordinates_.reserve(static_cast<std::size_t>(9 * facets));
  for (Index f = 0; f < facets; ++f) {
    in_.skip_bytes(3 * static_cast<Index>(sizeof(float)), "bytes of a normal");
    for (int i = 0; i < 9; ++i)
      add(in_.finite(static_cast<double>(in_.binary<float>(kSwap, "a coordinate")), "a coordinate"));
    in_.skip_bytes(2, "bytes of an attribute");
  }
  in_.expect_no_bytes();
}

void StlReader::read_text() {
  for (std::string_view word = in_.word(); !word.empty(); word = in_.word()) {
    if (upper(word) != "SOLID") in_.fail(fmt::format("expected solid, not '{}'", shown(word)));
    in_.line();  // its name
    for (word = in_.word(); upper(word) == "FACET"; word = in_.word()) text_facet();
    if (word.empty()) in_.fail("the file ends where endsolid was expected");
    if (upper(word) != "ENDSOLID") in_.fail(fmt::format("expected facet or endsolid, not '{}'", shown(word)));
    in_.line();
  }
}

void StlReader::text_facet() {
  in_.expect("normal");
  for (int i = 0; i < 3; ++i) in_.word();  // often nonsense, and not needed
  in_.expect("outer");
  in_.expect("loop");
  for (int corner = 0; corner < 3; ++corner) {
    in_.expect("vertex");
    for (int i = 0; i < 3; ++i) add(in_.coordinate());
  }
  in_.expect("endloop");
  in_.expect("endfacet");
}

Mesh StlReader::merged() {
  const auto corners = static_cast<Index>(coordinates_.size() / 3);
  const Mat3X all = Eigen::Map<const Mat3X>(coordinates_.data(), 3, corners);
  const std::vector<int> first = first_equal_columns(all);
  std::vector<int> number(first.size());
  int vertices = 0;
  for (std::size_t c = 0; c < first.size(); ++c)
    number[c] = first[c] == static_cast<int>(c) ? vertices++ : number[static_cast<std::size_t>(first[c])];
  MeshParts parts;
  parts.vertices.resize(3, vertices);
  for (Index c = 0; c < corners; ++c) parts.vertices.col(number[static_cast<std::size_t>(c)]) = all.col(c);
  for (std::size_t c = 0; c < number.size(); c += 3) parts.add(ElementType::Tri3, &number[c]);
  return single_type_mesh(std::move(parts), in_.file());
}

}  // namespace

Mesh read_stl(FileCursor in) {
  return StlReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail

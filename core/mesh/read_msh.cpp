#include "core/mesh/file_cursor.hpp"
#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr long long kMaxCount = std::numeric_limits<int>::max();
constexpr long long kMaxTags = 1000;

class MshReader {
 public:
  explicit MshReader(const std::string& file) : in_(file) {}

  Mesh read() {
    format();
    while (section()) continue;
    if (!has_nodes_) in_.fail("the file ends without $Nodes");
    if (!has_elements_) in_.fail("the file ends without $Elements");
    return single_type_mesh(std::move(parts_), in_.file());
  }

 private:
  void format();
  bool section();
  void nodes();
  void text_elements(Index count);
  void binary_elements(Index count);
  void elements();

  void expect(std::string_view keyword) {
    const std::string_view word = in_.word();
    if (word != keyword) in_.fail(fmt::format("expected {}, not '{}'", keyword, shown(word)));
  }
  long long next_integer(const char* what, long long low, long long high) {
    if (!binary_) return in_.integer(what, low, high);
    const long long value = in_.binary<std::int32_t>(swap_, what);
    if (value < low || value > high)
      in_.fail(fmt::format("{} is {}; expected an integer from {} to {}", what, value, low, high));
    return value;
  }
  double next_real(const char* what) { return binary_ ? in_.binary<double>(swap_, what) : in_.real(what); }

  Index nodes_of(long long type);
  int vertex_of(long long number);
  void add_element(long long type);

  FileCursor in_;
  MeshParts parts_;
  std::vector<std::pair<long long, int>> numbers_;  ///< node number of the file and vertex, sorted
  bool binary_ = false, swap_ = false, has_nodes_ = false, has_elements_ = false;
};

void MshReader::format() {
  expect("$MeshFormat");
  const std::string_view word = in_.word();
  double version = 0;
  if (!parse_real(word, version)) in_.fail(fmt::format("expected a version, not '{}'", shown(word)));
  if (version < 2.0 || version >= 3.0)
    in_.fail(fmt::format("MSH version {} cannot be read; save it as version 2.2", version));
  const bool binary = in_.integer("the file type (0 is text, 1 is binary)", 0, 1) == 1;
  in_.integer("the size of a real number", 8, 8);
  if (binary) {
    in_.end_line();
    const auto one = in_.binary<std::int32_t>(false, "the number one");
    constexpr std::int32_t swapped_one = 1 << 24;
    if (one != 1 && one != swapped_one) in_.fail(fmt::format("the byte order mark is {}; expected 1", one));
    swap_ = one == swapped_one;
    binary_ = true;
  }
  expect("$EndMeshFormat");
}

bool MshReader::section() {
  const std::string_view keyword = in_.word();
  if (keyword.empty()) return false;
  if (keyword == "$Nodes") {
    nodes();
  } else if (keyword == "$Elements") {
    elements();
  } else if (keyword.size() > 1 && keyword[0] == '$' && !keyword.starts_with("$End")) {
    in_.skip_past("$End" + std::string(keyword.substr(1)));
  } else {
    in_.fail(fmt::format("expected a section such as $Nodes or $Elements, not '{}'", shown(keyword)));
  }
  return true;
}

void MshReader::nodes() {
  if (has_nodes_) in_.fail("$Nodes stands twice");
  const Index n = in_.integer("the number of nodes", 0, kMaxCount);
  if (binary_) {
    in_.end_line();
    in_.require_room(n, 28, "nodes");
  } else {
    in_.require_numbers(4 * n, "numbers of nodes");
  }
  parts_.vertices.resize(3, n);
  numbers_.reserve(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) {
    numbers_.emplace_back(next_integer("a node number", 1, kMaxCount), static_cast<int>(v));
    for (Index a = 0; a < 3; ++a) parts_.vertices(a, v) = next_real("a coordinate");
  }
  std::sort(numbers_.begin(), numbers_.end());
  for (std::size_t i = 1; i < numbers_.size(); ++i)
    if (numbers_[i].first == numbers_[i - 1].first)
      in_.fail(fmt::format("node number {} stands twice", numbers_[i].first));
  expect("$EndNodes");
  has_nodes_ = true;
}

void MshReader::elements() {
  if (!has_nodes_) in_.fail("$Elements stands before $Nodes");
  if (has_elements_) in_.fail("$Elements stands twice");
  const Index n = in_.integer("the number of elements", 0, kMaxCount);
  if (binary_) {
    in_.end_line();
    in_.require_room(n, 8, "elements");
    binary_elements(n);
  } else {
    in_.require_numbers(4 * n, "numbers of elements");
    text_elements(n);
  }
  expect("$EndElements");
  has_elements_ = true;
}

void MshReader::text_elements(Index count) {
  for (Index e = 0; e < count; ++e) {
    next_integer("an element number", 0, kMaxCount);
    const long long type = next_integer("an element type", 0, kMaxCount);
    nodes_of(type);  // an unknown type is best refused at its own place
    const long long tags = next_integer("a number of tags", 0, kMaxTags);
    for (long long t = 0; t < tags; ++t) next_integer("a tag", -kMaxCount, kMaxCount);
    add_element(type);
  }
}

/// Elements come in blocks of one type with a header.
void MshReader::binary_elements(Index count) {
  for (Index done = 0; done < count;) {
    const long long type = next_integer("an element type", 0, kMaxCount);
    nodes_of(type);
    const long long block = next_integer("the number of elements of a block", 1, count - done);
    const long long tags = next_integer("a number of tags", 0, kMaxTags);
    for (long long e = 0; e < block; ++e) {
      next_integer("an element number", 0, kMaxCount);
      for (long long t = 0; t < tags; ++t) next_integer("a tag", -kMaxCount, kMaxCount);
      add_element(type);
    }
    done += block;
  }
}

Index MshReader::nodes_of(long long type) {
  switch (type) {
    case 1:
      return 2;
    case 2:
      return 3;
    case 3:
      return 4;
    case 4:
      return 4;
    case 5:
      return 8;
    case 15:
      return 1;
    default:
      in_.fail(fmt::format(
          "element type {} cannot be read; expected line (1), triangle (2), quadrangle (3), tetrahedron "
          "(4), hexahedron (5) or point (15)",
          type));
  }
}

int MshReader::vertex_of(long long number) {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), std::make_pair(number, -1));
  if (found == numbers_.end() || found->first != number)
    in_.fail(fmt::format("node number {} does not stand in $Nodes", number));
  return found->second;
}

void MshReader::add_element(long long type) {
  std::array<int, 8> vertices{};
  const Index n = nodes_of(type);
  for (Index i = 0; i < n; ++i)
    vertices[static_cast<std::size_t>(i)] = vertex_of(next_integer("a node number", 1, kMaxCount));
  switch (type) {
    case 1:
      return parts_.add(ElementType::Segment2, vertices.data());
    case 4:
      return parts_.add(ElementType::Tet4, vertices.data());
    case 5:
      return parts_.add(ElementType::Hex8, vertices.data());
    case 15:
      ++parts_.points;
      return;
    default:
      return parts_.add_fan(vertices.data(), n);
  }
}

}  // namespace

Mesh read_msh(const std::string& file) {
  return MshReader(file).read();
}

}  // namespace resilin::mesh_detail

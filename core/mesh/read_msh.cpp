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
constexpr long long kMaxNumber = std::numeric_limits<long long>::max();

class MshReader {
 public:
  explicit MshReader(FileCursor in) : in_(std::move(in)) {}

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
  void nodes_of_version_2();
  void nodes_of_version_4();
  void text_elements(Index count);
  void binary_elements(Index count);
  void elements();
  void elements_of_version_2();
  void elements_of_version_4();

  long long next_integer(const char* what, long long low, long long high) {
    return binary_ ? in_.in_range(in_.binary<std::int32_t>(swap_, what), what, low, high)
                   : in_.integer(what, low, high);
  }
  /// Counts and numbers of version 4, which are 8 bytes wide.
  long long next_size(const char* what, long long low, long long high) {
    return binary_ ? in_.in_range(in_.binary<std::int64_t>(swap_, what), what, low, high)
                   : in_.integer(what, low, high);
  }
  double next_coordinate() {
    return binary_ ? in_.finite(in_.binary<double>(swap_, "a coordinate"), "a coordinate") : in_.coordinate();
  }
  /// `text` counts the numbers of an item as text, `bytes` its size otherwise.
  void require_room(Index count, Index text, Index bytes, const char* what) {
    if (binary_) {
      in_.require_room(count, bytes, what);
    } else {
      in_.require_numbers(text * count, fmt::format("numbers of {}", what).c_str());
    }
  }

  Index nodes_of(long long type);
  int vertex_of(long long number);
  template <class NextNumber>
  void add_element(long long type, NextNumber next_number);

  FileCursor in_;
  MeshParts parts_;
  std::vector<std::pair<long long, int>> numbers_;  ///< node number of the file and vertex, sorted
  bool version_4_ = false, binary_ = false, swap_ = false, has_nodes_ = false, has_elements_ = false;
};

void MshReader::format() {
  in_.expect("$MeshFormat");
  const std::string_view word = in_.word();
  double version = 0;
  if (!parse_real(word, version)) in_.fail(fmt::format("expected a version, not '{}'", shown(word)));
  version_4_ = version == 4.1;
  if (!version_4_ && !(version >= 2.0 && version < 3.0))
    in_.fail(fmt::format("MSH version {} cannot be read; save it as version 4.1 or 2.2", version));
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
  in_.expect("$EndMeshFormat");
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
  has_nodes_ = true;
  if (version_4_) {
    nodes_of_version_4();
  } else {
    nodes_of_version_2();
  }
  std::sort(numbers_.begin(), numbers_.end());
  for (std::size_t i = 1; i < numbers_.size(); ++i)
    if (numbers_[i].first == numbers_[i - 1].first)
      in_.fail(fmt::format("node number {} stands twice", numbers_[i].first));
  in_.expect("$EndNodes");
}

void MshReader::nodes_of_version_2() {
  const Index n = in_.integer("the number of nodes", 0, kMaxCount);
  if (binary_) in_.end_line();
  require_room(n, 4, 28, "nodes");
  parts_.vertices.resize(3, n);
  numbers_.reserve(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) {
    numbers_.emplace_back(next_integer("a node number", 1, kMaxCount), static_cast<int>(v));
    for (Index a = 0; a < 3; ++a) parts_.vertices(a, v) = next_coordinate();
  }
}

/// Blocks, one an entity: first the numbers of all nodes of the block, then their coordinates.
void MshReader::nodes_of_version_4() {
  if (binary_) in_.end_line();
  const Index blocks = next_size("the number of blocks", 0, kMaxCount);
  const Index n = next_size("the number of nodes", 0, kMaxCount);
  for (const char* what : {"the lowest node number", "the highest node number"})
    next_size(what, 0, kMaxNumber);
  require_room(n, 4, 32, "nodes");
  parts_.vertices.resize(3, n);
  numbers_.reserve(static_cast<std::size_t>(n));
  Index done = 0;
  for (Index b = 0; b < blocks; ++b) {
    const long long dimension = next_integer("the dimension of an entity", 0, 3);
    next_integer("the number of an entity", -kMaxCount, kMaxCount);
    const bool parametric = next_integer("whether nodes are parametric", 0, 1) == 1;
    const Index size = next_size("the number of nodes of a block", 0, n - done);
    for (Index v = done; v < done + size; ++v)
      numbers_.emplace_back(next_size("a node number", 1, kMaxNumber), static_cast<int>(v));
    for (Index v = done; v < done + size; ++v) {
      for (Index a = 0; a < 3; ++a) parts_.vertices(a, v) = next_coordinate();
      for (long long a = 0; parametric && a < dimension; ++a) next_coordinate();
    }
    done += size;
  }
  if (done != n) in_.fail(fmt::format("the blocks hold {} nodes; {} were announced", done, n));
}

void MshReader::elements() {
  if (!has_nodes_) in_.fail("$Elements stands before $Nodes");
  if (has_elements_) in_.fail("$Elements stands twice");
  has_elements_ = true;
  if (version_4_) {
    elements_of_version_4();
  } else {
    elements_of_version_2();
  }
  in_.expect("$EndElements");
}

void MshReader::elements_of_version_4() {
  if (binary_) in_.end_line();
  const Index blocks = next_size("the number of blocks", 0, kMaxCount);
  const Index n = next_size("the number of elements", 0, kMaxCount);
  for (const char* what : {"the lowest element number", "the highest element number"})
    next_size(what, 0, kMaxNumber);
  require_room(n, 2, 16, "elements");
  Index done = 0;
  for (Index b = 0; b < blocks; ++b) {
    next_integer("the dimension of an entity", 0, 3);
    next_integer("the number of an entity", -kMaxCount, kMaxCount);
    const long long type = next_integer("an element type", 0, kMaxCount);
    nodes_of(type);
    const Index size = next_size("the number of elements of a block", 0, n - done);
    for (Index e = 0; e < size; ++e) {
      next_size("an element number", 0, kMaxNumber);
      add_element(type, [&] { return next_size("a node number", 1, kMaxNumber); });
    }
    done += size;
  }
  if (done != n) in_.fail(fmt::format("the blocks hold {} elements; {} were announced", done, n));
}

void MshReader::elements_of_version_2() {
  const Index n = in_.integer("the number of elements", 0, kMaxCount);
  if (binary_) in_.end_line();
  require_room(n, 4, 8, "elements");
  if (binary_) {
    binary_elements(n);
  } else {
    text_elements(n);
  }
}

void MshReader::text_elements(Index count) {
  for (Index e = 0; e < count; ++e) {
    next_integer("an element number", 0, kMaxCount);
    const long long type = next_integer("an element type", 0, kMaxCount);
    nodes_of(type);  // an unknown type is best refused at its own place
    const long long tags = next_integer("a number of tags", 0, kMaxTags);
    for (long long t = 0; t < tags; ++t) next_integer("a tag", -kMaxCount, kMaxCount);
    add_element(type, [&] { return next_integer("a node number", 1, kMaxCount); });
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
      add_element(type, [&] { return next_integer("a node number", 1, kMaxCount); });
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

template <class NextNumber>
void MshReader::add_element(long long type, NextNumber next_number) {
  std::array<int, 8> vertices{};
  const Index n = nodes_of(type);
  for (Index i = 0; i < n; ++i) vertices[static_cast<std::size_t>(i)] = vertex_of(next_number());
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

Mesh read_msh(FileCursor in) {
  return MshReader(std::move(in)).read();
}

}  // namespace resilin::mesh_detail

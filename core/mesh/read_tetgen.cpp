#include "core/mesh/mesh_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr Index kMaxCount = std::numeric_limits<int>::max();
constexpr Index kMaxAttributes = 1000;

struct Nodes {
  Mat3X vertices;
  Index first = 0;  ///< number of the first one: 0 or 1
};

Nodes read_nodes(FileCursor& in) {
  in.set_comment('#');
  const Index n = in.integer("the number of nodes", 1, kMaxCount);
  in.integer("the dimension", 3, 3);
  const Index attributes = in.integer("the number of attributes", 0, kMaxAttributes);
  const Index markers = in.integer("the number of boundary markers", 0, 1);
  in.require_numbers(n * (4 + attributes + markers), "numbers of nodes");
  Nodes nodes;
  nodes.vertices.resize(3, n);
  for (Index v = 0; v < n; ++v) {
    if (v == 0) {
      nodes.first = in.integer("the number of the first node", 0, 1);
    } else {
      in.integer("a node number (they count up)", nodes.first + v, nodes.first + v);
    }
    for (Index a = 0; a < 3; ++a) nodes.vertices(a, v) = in.coordinate();
    for (Index a = 0; a < attributes + markers; ++a) in.real("an attribute or a marker");
  }
  in.expect_end();
  return nodes;
}

void read_elements(FileCursor& in, Index first, MeshParts& parts) {
  in.set_comment('#');
  const Index n = in.integer("the number of tetrahedra", 1, kMaxCount);
  in.integer("the number of nodes of a tetrahedron", 4, 4);
  const Index attributes = in.integer("the number of attributes", 0, kMaxAttributes);
  in.require_numbers(n * (5 + attributes), "numbers of tetrahedra");
  for (Index e = 0; e < n; ++e) {
    in.integer("a tetrahedron number (they count up)", first + e, first + e);
    std::array<int, 4> nodes{};
    for (int& node : nodes)
      node = static_cast<int>(in.integer("a node number", first, first + parts.vertices.cols() - 1) - first);
    for (Index a = 0; a < attributes; ++a) in.real("an attribute");
    parts.add(ElementType::Tet4, nodes.data());
  }
  in.expect_end();
}

}  // namespace

Mesh read_tetgen(FileCursor node_file, FileCursor element_file) {
  Nodes nodes = read_nodes(node_file);
  MeshParts parts;
  parts.vertices = std::move(nodes.vertices);
  read_elements(element_file, nodes.first, parts);
  return single_type_mesh(std::move(parts), element_file.file());
}

}  // namespace resilin::mesh_detail

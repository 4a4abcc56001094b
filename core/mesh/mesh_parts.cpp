#include "core/mesh/mesh_parts.hpp"

#include "core/base/error.hpp"
#include "core/base/log.hpp"

#include <fmt/format.h>

#include <utility>

namespace resilin::mesh_detail {
namespace {

constexpr std::array<ElementType, 4> kHighestFirst{ElementType::Hex8, ElementType::Tet4, ElementType::Tri3,
                                                   ElementType::Segment2};

}  // namespace

void MeshParts::add(ElementType type, const int* element) {
  std::vector<int>& list = nodes[static_cast<std::size_t>(type)];
  list.insert(list.end(), element, element + nodes_per_element(type));
}

void MeshParts::add_fan(const int* polygon, Index corners) {
  for (Index c = 1; c + 1 < corners; ++c) {
    const std::array<int, 3> triangle{polygon[0], polygon[c], polygon[c + 1]};
    add(ElementType::Tri3, triangle.data());
  }
}

void MeshParts::add_polyline(const int* line, Index count) {
  for (Index i = 0; i + 1 < count; ++i) add(ElementType::Segment2, line + i);
}

std::string MeshParts::add_vtk_cell(long long type, const int* x, Index n) {
  struct Shape {
    long long type;
    Index nodes;
    const char* name;
  };
  constexpr std::array<Shape, 7> shapes{{{3, 2, "line"},
                                         {5, 3, "triangle"},
                                         {8, 4, "pixel"},
                                         {9, 4, "quad"},
                                         {10, 4, "tetrahedron"},
                                         {11, 8, "voxel"},
                                         {12, 8, "hexahedron"}}};
  for (const Shape& s : shapes)
    if (s.type == type && s.nodes != n)
      return fmt::format("has {} nodes; a {} (type {}) has {}", n, s.name, type, s.nodes);
  if (type == 1 || type == 2) {
    ++points;
  } else if (type == 3 || type == 4) {
    add_polyline(x, n);
  } else if (type == 5 || type == 7 || type == 9) {
    add_fan(x, n);
  } else if (type == 8) {
    const std::array<int, 4> quad{x[0], x[1], x[3], x[2]};
    add_fan(quad.data(), 4);
  } else if (type == 10) {
    add(ElementType::Tet4, x);
  } else if (type == 11) {
    const std::array<int, 8> hex{x[0], x[1], x[3], x[2], x[4], x[5], x[7], x[6]};
    add(ElementType::Hex8, hex.data());
  } else if (type == 12) {
    add(ElementType::Hex8, x);
  } else {
    return fmt::format(
        "has type {}; expected a line (3, 4), triangle (5), polygon (7), pixel (8), quad (9), tetrahedron "
        "(10), "
        "voxel (11) or hexahedron (12)",
        type);
  }
  return {};
}

Mesh single_type_mesh(MeshParts parts, const std::string& file) {
  const auto count = [&](ElementType type) {
    return static_cast<Index>(parts.nodes[static_cast<std::size_t>(type)].size()) / nodes_per_element(type);
  };
  if (count(ElementType::Hex8) > 0 && count(ElementType::Tet4) > 0)
    throw Error(Errc::Input,
                fmt::format("the file mixes {} hex8 and {} tet4 elements; expected one volume type",
                            count(ElementType::Hex8), count(ElementType::Tet4)),
                file);
  Mesh mesh;
  for (const ElementType type : kHighestFirst) {
    if (count(type) == 0) continue;
    if (mesh.num_elements() > 0) {
      log_info(fmt::format("{}: dropped {} {} elements beside {} {}", file, count(type), name_of(type),
                           mesh.num_elements(), name_of(mesh.type)));
      continue;
    }
    mesh.type = type;
    mesh.elements = Eigen::Map<const Mesh::Elements>(parts.nodes[static_cast<std::size_t>(type)].data(),
                                                     nodes_per_element(type), count(type));
  }
  if (mesh.num_elements() == 0)
    throw Error(Errc::Input, "the file holds no segments, triangles, tetrahedra or hexahedra", file);
  if (parts.points > 0) log_info(fmt::format("{}: dropped {} point elements", file, parts.points));
  mesh.vertices = std::move(parts.vertices);
  return mesh;
}

}  // namespace resilin::mesh_detail

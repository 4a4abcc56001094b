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

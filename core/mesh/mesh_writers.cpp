#include "core/mesh/mesh_writers.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace resilin::mesh_detail {

WrittenFaces written_faces(const Mesh& mesh) {
  if (!is_volume(mesh.type)) return {mesh.vertices, mesh.elements};
  WrittenFaces surface;
  surface.faces = extract_surface(mesh).faces;
  std::vector<int> number(static_cast<std::size_t>(mesh.num_vertices()), -1);
  for (const int node : surface.faces.reshaped()) number[static_cast<std::size_t>(node)] = 0;
  int next = 0;
  for (int& n : number)
    if (n == 0) n = next++;
  surface.vertices.resize(3, next);
  for (std::size_t v = 0; v < number.size(); ++v)
    if (number[v] >= 0) surface.vertices.col(number[v]) = mesh.vertices.col(static_cast<Index>(v));
  for (int& node : surface.faces.reshaped()) node = number[static_cast<std::size_t>(node)];
  return surface;
}

WrittenFaces written_triangles(const Mesh& mesh, const char* format) {
  if (mesh.type == ElementType::Segment2)
    throw Error(Errc::Input,
                fmt::format("{} holds no segments; expected a surface or a volume mesh", format));
  WrittenFaces surface = written_faces(mesh);
  if (surface.faces.rows() == 3) return surface;
  Mesh::Elements triangles(3, 2 * surface.faces.cols());
  for (Index f = 0; f < surface.faces.cols(); ++f) {
    const auto quad = surface.faces.col(f);
    triangles.col(2 * f) << quad[0], quad[1], quad[2];
    triangles.col(2 * f + 1) << quad[0], quad[2], quad[3];
  }
  surface.faces = std::move(triangles);
  return surface;
}

int vtk_cell_type(ElementType type) {
  switch (type) {
    case ElementType::Segment2:
      return 3;
    case ElementType::Tri3:
      return 5;
    case ElementType::Tet4:
      return 10;
    case ElementType::Hex8:
      return 12;
  }
  throw Error(Errc::Internal, "unknown element type");
}

}  // namespace resilin::mesh_detail

// The writers by format, and the surface that those write which know no volumes.
#pragma once

#include "core/mesh/mesh.hpp"

#include <string>

namespace resilin::mesh_detail {

/// Faces of a surface mesh or of the boundary of a volume mesh, or segments; with the vertices that they use.
struct WrittenFaces {
  Mat3X vertices;
  Mesh::Elements faces;  ///< 0-based, counter-clockwise seen from outside
};
/// Vertices of surfaces and segments are all kept; of a volume mesh the inner ones are left out.
WrittenFaces written_faces(const Mesh& mesh);
/// The same with quads split in two. Throws Error(Input) for segments, naming `format`.
WrittenFaces written_triangles(const Mesh& mesh, const char* format);

int vtk_cell_type(ElementType type);

void write_vtk(const std::string& file, const Mesh& mesh);
void write_msh(const std::string& file, const Mesh& mesh);
void write_ply(const std::string& file, const Mesh& mesh);
void write_stl(const std::string& file, const Mesh& mesh);
void write_glb(const std::string& file, const Mesh& mesh);

}  // namespace resilin::mesh_detail

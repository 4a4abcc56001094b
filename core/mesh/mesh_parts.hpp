// What a mesh file may hold, before one element type is chosen; and the readers by format.
#pragma once

#include "core/mesh/file_cursor.hpp"
#include "core/mesh/mesh.hpp"

#include <array>
#include <string>
#include <vector>

namespace resilin::mesh_detail {

struct MeshParts {
  Mat3X vertices;
  std::array<std::vector<int>, 4> nodes;  ///< by ElementType, one element after the other
  Index points = 0;                       ///< elements that are mere points

  void add(ElementType type, const int* element);
  /// A polygon as a fan of triangles about its first node.
  void add_fan(const int* polygon, Index corners);
  /// A line through `count` nodes as segments.
  void add_polyline(const int* line, Index count);
  /// A cell by its number in VTK's files. Returns what is wrong with it ("has type 24; expected ..."), or
  /// nothing.
  std::string add_vtk_cell(long long type, const int* cell, Index count);
};

/// The elements of the highest dimension; the others are dropped with a log line. Throws Error(Input) for two
/// volume types and for none at all.
Mesh single_type_mesh(MeshParts parts, const std::string& file);

Mesh read_vtk(FileCursor in);
Mesh read_vtu(FileCursor in);
Mesh read_obj(FileCursor in);
Mesh read_off(FileCursor in);
Mesh read_ply(FileCursor in);
Mesh read_stl(FileCursor in);
Mesh read_msh(FileCursor in);
Mesh read_medit(FileCursor in);
/// The two files of TetGen.
Mesh read_tetgen(FileCursor nodes, FileCursor elements);

}  // namespace resilin::mesh_detail

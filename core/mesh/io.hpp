// Mesh files. Every parser error is an Error(Input) with file and line.
#pragma once

#include "core/mesh/mesh.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// Reads by extension: .vtk (legacy ASCII and binary unstructured grid or polydata), .obj (triangles; larger
/// faces are split in a fan), .msh (Gmsh 2.2 ASCII and binary). If a file holds several element types, the
/// one of the highest dimension is taken and the others are dropped with a log line; two volume types in one
/// file are refused by name.
RESILIN_API Mesh read_mesh(const std::string& file);

/// Named values at vertices or elements; rows are components.
using NamedArrays = std::vector<std::pair<std::string, MatX>>;

/// XML unstructured grid, binary (base64, uncompressed), written to a temporary name and renamed.
RESILIN_API void write_vtu(const std::string& file, const Mesh& mesh, const NamedArrays& point_data = {},
                           const NamedArrays& cell_data = {});
/// Surface as Wavefront OBJ (volume meshes: their boundary).
RESILIN_API void write_obj(const std::string& file, const Mesh& mesh);

}  // namespace resilin

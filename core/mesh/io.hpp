// Mesh files. Every parser error is an Error(Input) with file and line, or with the byte in binary data.
#pragma once

#include "core/mesh/mesh.hpp"

#include <string>
#include <utility>
#include <vector>

namespace resilin {

/// Reads by extension: .vtk (legacy unstructured grid or polydata, text and binary), .vtu (text, base64
/// and appended, zlib too), .obj, .off (text), .ply and .stl (text and binary), .msh (Gmsh 2.x and 4.1, text
/// and binary), .mesh (MEDIT, text), .node or .ele (TetGen: both files are read). Faces with more than three
/// nodes become a fan of triangles; .stl, which repeats its vertices, gets those with exactly equal
/// coordinates merged. If a file holds several element types, the one of the highest dimension is taken and
/// the others are dropped with a log line; two volume types in one file are refused by name. Coordinates that
/// are not finite, indices out of range and counts that the file cannot hold are refused, the latter before
/// memory is taken.
RESILIN_API Mesh read_mesh(const std::string& file);
/// The same for a file in memory; `name` gives the format and stands for the file in messages. Not for
/// TetGen's pair of files.
RESILIN_API Mesh parse_mesh(std::string content, const std::string& name);

/// Writes by extension, to a temporary name that is then renamed: .vtk (legacy text), .vtu, .msh (Gmsh 2.2
/// text), .obj, .ply and .stl (binary), .glb (glTF 2.0). All but .stl and .glb, which hold single precision,
/// read back to the same coordinates bit by bit. Of a volume mesh .obj, .ply, .stl and .glb hold the
/// boundary; .stl and .glb split quads in two. Throws Error(Input) for an unknown format, and for segments in
/// .stl and .glb.
RESILIN_API void write_mesh(const std::string& file, const Mesh& mesh);

/// Named values at vertices or elements; rows are components.
using NamedArrays = std::vector<std::pair<std::string, MatX>>;

/// XML unstructured grid, binary (base64, uncompressed), written to a temporary name and renamed.
RESILIN_API void write_vtu(const std::string& file, const Mesh& mesh, const NamedArrays& point_data = {},
                           const NamedArrays& cell_data = {});
/// Surface as Wavefront OBJ (volume meshes: their boundary).
RESILIN_API void write_obj(const std::string& file, const Mesh& mesh);

}  // namespace resilin

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/mesh/file_cursor.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/mesh_format.hpp"
#include "core/mesh/mesh_writers.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace resilin {
namespace mesh_detail {
namespace {

/// Bytes of a number, least significant first.
template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big)
    bytes.append(std::make_reverse_iterator(raw + sizeof(T)), std::make_reverse_iterator(raw));
  else
    bytes.append(raw, sizeof(T));
}

/// Rounded to single precision; throws Error(Input) beyond its range.
float single_precision(double value) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded))
    throw Error(Errc::Input, fmt::format("the coordinate {} m does not fit into single precision", value));
  return rounded;
}

void append_floats(std::string& bytes, const Vec3& v) {
  for (Index a = 0; a < 3; ++a) append(bytes, single_precision(v[a]));
}

}  // namespace

void write_vtk(const std::string& file, const Mesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "# vtk DataFile Version 3.0\n{} mesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
                 name_of(mesh.type), mesh.num_vertices());
  // The shortest digits that read back to the same number, here and below.
  for (const auto& x : mesh.vertices.colwise()) fmt::format_to(out, "{} {} {}\n", x[0], x[1], x[2]);
  const Index nodes = mesh.elements.rows(), n = mesh.num_elements();
  fmt::format_to(out, "CELLS {} {}\n", n, n * (nodes + 1));
  for (const auto& element : mesh.elements.colwise()) {
    fmt::format_to(out, "{}", nodes);
    for (const int node : element) fmt::format_to(out, " {}", node);
    text.push_back('\n');
  }
  fmt::format_to(out, "CELL_TYPES {}\n", n);
  for (Index e = 0; e < n; ++e) fmt::format_to(out, "{}\n", vtk_cell_type(mesh.type));
  write_file(file, {text.data(), text.size()});
}

void write_msh(const std::string& file, const Mesh& mesh) {
  constexpr std::array<int, 4> types{1, 2, 4, 5};  // Gmsh's, by ElementType; the order of nodes is VTK's
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.num_vertices());
  for (Index v = 0; v < mesh.num_vertices(); ++v)
    fmt::format_to(out, "{} {} {} {}\n", v + 1, mesh.vertices(0, v), mesh.vertices(1, v),
                   mesh.vertices(2, v));
  fmt::format_to(out, "$EndNodes\n$Elements\n{}\n", mesh.num_elements());
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    // Two tags, which other programs insist on: the physical group (0 is none) and the geometric entity.
    fmt::format_to(out, "{} {} 2 0 1", e + 1, types[static_cast<std::size_t>(mesh.type)]);
    for (const int node : mesh.elements.col(e)) fmt::format_to(out, " {}", node + 1);
    text.push_back('\n');
  }
  fmt::format_to(out, "$EndElements\n");
  write_file(file, {text.data(), text.size()});
}

void write_ply(const std::string& file, const Mesh& mesh) {
  const WrittenFaces surface = written_faces(mesh);
  const bool segments = mesh.type == ElementType::Segment2;
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
      "property double z\nelement {} {}\n{}end_header\n",
      surface.vertices.cols(), segments ? "edge" : "face", surface.faces.cols(),
      segments ? "property int vertex1\nproperty int vertex2\n" : "property list uchar int vertex_indices\n");
  for (const double c : surface.vertices.reshaped()) append(bytes, c);
  for (const auto& face : surface.faces.colwise()) {
    if (!segments) append(bytes, static_cast<std::uint8_t>(face.size()));
    for (const int node : face) append(bytes, std::int32_t{node});
  }
  write_file(file, bytes);
}

void write_stl(const std::string& file, const Mesh& mesh) {
  const WrittenFaces surface = written_triangles(mesh, ".stl");
  std::string bytes = "binary STL, coordinates in metres";  // must not begin with "solid"
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint32_t>(surface.faces.cols()));
  for (const auto& face : surface.faces.colwise()) {
    const Vec3 a = surface.vertices.col(face[0]), b = surface.vertices.col(face[1]),
               c = surface.vertices.col(face[2]);
    append_floats(bytes, (b - a).cross(c - a).stableNormalized());
    for (const Vec3& corner : {a, b, c}) append_floats(bytes, corner);
    append(bytes, std::uint16_t{0});
  }
  write_file(file, bytes);
}

}  // namespace mesh_detail

namespace {

using Write = void (*)(const std::string&, const Mesh&);

Write writer_of(const std::string& file) {
  constexpr std::array<std::pair<std::string_view, Write>, 7> writers{
      {{".vtk", mesh_detail::write_vtk},
       {".vtu", [](const std::string& f, const Mesh& m) { write_vtu(f, m); }},
       {".msh", mesh_detail::write_msh},
       {".obj", write_obj},
       {".ply", mesh_detail::write_ply},
       {".stl", mesh_detail::write_stl},
       {".glb", mesh_detail::write_glb}}};
  const std::string extension = mesh_detail::extension_of(file);
  for (const auto& [known, write] : writers)
    if (known == extension) return write;
  throw Error(
      Errc::Input,
      fmt::format("cannot write mesh format '{}'; expected .vtk, .vtu, .msh, .obj, .ply, .stl or .glb",
                  extension),
      file);
}

}  // namespace

void require_writable_mesh(const std::string& file) {
  writer_of(file);
}

void write_mesh(const std::string& file, const Mesh& mesh) {
  writer_of(file)(file, mesh);
}

}  // namespace resilin

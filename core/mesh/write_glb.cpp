#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/mesh/mesh_writers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace resilin::mesh_detail {
namespace {

/// Adds the numbers of a matrix, column by column, least significant byte first.
template <class Matrix>
void append(std::string& bytes, const Matrix& values) {
  using T = typename Matrix::Scalar;
  for (const T value : values.reshaped()) {
    std::uint32_t bits = 0;
    static_assert(sizeof(T) == sizeof(bits));
    std::memcpy(&bits, &value, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
}

/// Unit normals at vertices, the mean of those of the faces around by their area; (0, 0, 1) where there are
/// none.
Eigen::Matrix3Xf vertex_normals(const WrittenFaces& s) {
  Mat3X normals = Mat3X::Zero(3, s.vertices.cols());
  for (const auto& face : s.faces.colwise()) {
    const Vec3 a = s.vertices.col(face[0]);
    const Vec3 normal = (s.vertices.col(face[1]) - a).cross(s.vertices.col(face[2]) - a);
    for (const int node : face) normals.col(node) += normal;
  }
  Eigen::Matrix3Xf unit(3, normals.cols());
  for (Index v = 0; v < normals.cols(); ++v) {
    const double length = normals.col(v).stableNorm();
    const Vec3 normal = length > 0 ? Vec3(normals.col(v) / length) : Vec3(Vec3::UnitZ());
    unit.col(v) = normal.cast<float>();
  }
  return unit;
}

void append_chunk(std::string& file, const char* type, std::string content, char padding) {
  content.resize((content.size() + 3) / 4 * 4, padding);
  append(file, Eigen::Matrix<std::uint32_t, 1, 1>(static_cast<std::uint32_t>(content.size())));
  file.append(type, 4).append(content);
}

/// glTF has y up; the node turns our z there. Bounds of the positions are required.
std::string description(const Eigen::Matrix3Xf& x, Index indices) {
  const Eigen::Vector3f low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  const Index vectors = 12 * x.cols();
  return fmt::format(
      R"({{"asset":{{"version":"2.0","generator":"Resilin"}},"scene":0,"scenes":[{{"nodes":[0]}}],)"
      R"("nodes":[{{"mesh":0,"rotation":[{0},0,0,{1}]}}],)"
      R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":1}},"indices":2}}]}}],)"
      R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{2},"type":"VEC3",)"
      R"("min":[{3},{4},{5}],"max":[{6},{7},{8}]}},)"
      R"({{"bufferView":1,"componentType":5126,"count":{2},"type":"VEC3"}},)"
      R"({{"bufferView":2,"componentType":5125,"count":{9},"type":"SCALAR"}}],)"
      R"("bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{10},"target":34962}},)"
      R"({{"buffer":0,"byteOffset":{10},"byteLength":{10},"target":34962}},)"
      R"({{"buffer":0,"byteOffset":{11},"byteLength":{12},"target":34963}}],)"
      R"("buffers":[{{"byteLength":{13}}}]}})",
      -std::sqrt(0.5), std::sqrt(0.5), x.cols(), low[0], low[1], low[2], high[0], high[1], high[2], indices,
      vectors, 2 * vectors, 4 * indices, 2 * vectors + 4 * indices);
}

}  // namespace

void write_glb(const std::string& file, const Mesh& mesh) {
  const WrittenFaces surface = written_triangles(mesh, ".glb");
  if (surface.faces.cols() == 0)
    throw Error(Errc::Input, "a mesh without elements cannot be written as .glb");
  const Eigen::Matrix3Xf x = surface.vertices.cast<float>();
  if (!x.allFinite()) throw Error(Errc::Input, "a coordinate does not fit into single precision");
  const Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic> indices =
      surface.faces.cast<std::uint32_t>();
  std::string data;
  append(data, x);
  append(data, vertex_normals(surface));
  append(data, indices);
  std::string chunks;
  append_chunk(chunks, "JSON", description(x, indices.size()), ' ');
  append_chunk(chunks, "BIN\0", std::move(data), '\0');
  constexpr std::size_t head = 12;
  if (chunks.size() + head > std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::Input, "the mesh is too large for a .glb file (4 GiB)");
  std::string all = "glTF";
  append(all, Eigen::Matrix<std::uint32_t, 2, 1>(2, static_cast<std::uint32_t>(chunks.size() + head)));
  write_file(file, all + chunks);
}

}  // namespace resilin::mesh_detail

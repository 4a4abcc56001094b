#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "tests/support/json_value.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace resilin {
namespace {

using testing::expect_input_error;
using testing::Folder;

/// One mesh of each type, with coordinates that need all digits.
std::vector<Mesh> samples() {
  Mesh tet = make_sphere(1.0 / 3.0, 3, ElementType::Tet4), hex = make_sphere(0.7, 2, ElementType::Hex8);
  tet.vertices.array() += 1e-9;
  Mesh line;
  line.type = ElementType::Segment2;
  line.vertices = tet.vertices.leftCols(4);
  line.elements.resize(2, 3);
  line.elements << 0, 1, 2, 1, 2, 3;
  return {tet, hex, testing::triangles_of(hex), line};
}

Mesh through(const std::string& extension, const Mesh& mesh) {
  const Folder folder;
  write_mesh(folder.file("m" + extension), mesh);
  return read_mesh(folder.file("m" + extension));
}

TEST(WriteMesh, VolumeFormatsReadBackBitByBit) {
  for (const char* extension : {".vtk", ".vtu", ".msh"})
    for (const Mesh& mesh : samples()) {
      SCOPED_TRACE(std::string(extension) + " " + name_of(mesh.type));
      const Mesh read = through(extension, mesh);
      EXPECT_EQ(read.type, mesh.type);
      EXPECT_EQ(read.vertices, mesh.vertices);
      EXPECT_EQ(read.elements, mesh.elements);
    }
}

TEST(WriteMesh, SurfaceFormatsHoldTheBoundary) {
  for (const char* extension : {".ply", ".obj", ".stl"})
    for (const Mesh& mesh : samples()) {
      if (mesh.type == ElementType::Segment2) continue;
      SCOPED_TRACE(std::string(extension) + " " + name_of(mesh.type));
      const Mesh read = through(extension, mesh);
      EXPECT_EQ(read.type, ElementType::Tri3);
      const bool single = std::string(extension) == ".stl";
      const Mesh expected = testing::triangles_of(mesh);
      ASSERT_EQ(read.num_elements(), expected.num_elements());
      const double rounding = single ? 1e-7 : 0;
      for (Index t = 0; t < read.num_elements(); ++t)
        for (Index c = 0; c < 3; ++c)
          EXPECT_LE((read.vertices.col(read.elements(c, t)) - expected.vertices.col(expected.elements(c, t)))
                        .cwiseAbs()
                        .maxCoeff(),
                    rounding);
      if (!is_volume(mesh.type)) continue;
      for (const MeshFinding& f : check_mesh(read)) EXPECT_NE(f.name, "unused_vertex");
    }
}

TEST(WriteMesh, SegmentsGoWhereTheyCan) {
  const Mesh line = samples().back();
  for (const char* extension : {".ply", ".obj"}) {
    const Mesh read = through(extension, line);
    EXPECT_EQ(read.type, ElementType::Segment2);
    EXPECT_EQ(read.vertices, line.vertices);
    EXPECT_EQ(read.elements, line.elements);
  }
  const Folder folder;
  for (const char* extension : {".stl", ".glb"})
    expect_input_error([&] { write_mesh(folder.file(std::string("m") + extension), line); }, "", "",
                       std::string(extension) + " holds no segments");
}

TEST(WriteMesh, NormalsOfStlPointOutwards) {
  const Folder folder;
  write_mesh(folder.file("m.stl"), make_box({1, 2, 3}, {1, 1, 1}, ElementType::Hex8));
  std::ifstream in(folder.file("m.stl"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  ASSERT_EQ(bytes.size(), 84U + 12 * 50);
  for (std::size_t f = 0; f < 12; ++f) {
    Eigen::Vector3f normal;
    Eigen::Matrix3f corners;
    std::memcpy(normal.data(), &bytes[84 + 50 * f], 12);
    std::memcpy(corners.data(), &bytes[84 + 50 * f + 12], 36);
    EXPECT_NEAR(normal.norm(), 1, 1e-6);
    EXPECT_GT(normal.dot(corners.rowwise().mean() - Eigen::Vector3f(0.5F, 1, 1.5F)), 0.4F);
  }
}

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, &bytes.at(at), 4);
  return value;
}

TEST(WriteMesh, GlbHoldsPositionsNormalsAndTriangles) {
  const Folder folder;
  const Mesh box = make_box({1, 2, 3}, {1, 1, 1}, ElementType::Hex8, {-0.5, -1, -1.5});
  write_mesh(folder.file("m.glb"), box);
  std::ifstream in(folder.file("m.glb"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(word_at(bytes, 4), 2U);
  EXPECT_EQ(word_at(bytes, 8), bytes.size());
  const std::size_t json_size = word_at(bytes, 12), data = 20 + json_size + 8;
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(json_size % 4, 0U);
  EXPECT_EQ(word_at(bytes, 20 + json_size), bytes.size() - data);
  EXPECT_EQ(bytes.substr(24 + json_size, 4), std::string("BIN\0", 4));
  const JsonValue json = JsonReader::read(bytes.substr(20, json_size));
  EXPECT_EQ(json.at("accessors").at(0).at("count").number, 8);
  EXPECT_EQ(json.at("accessors").at(0).at("max").at(2).number, 1.5);
  EXPECT_EQ(json.at("accessors").at(2).at("count").number, 36);
  EXPECT_EQ(json.at("buffers").at(0).at("byteLength").number, static_cast<double>(bytes.size() - data));
  Eigen::Matrix<float, 3, 8> x, normals;
  std::memcpy(x.data(), &bytes[data], 96);
  std::memcpy(normals.data(), &bytes[data + 96], 96);
  EXPECT_EQ(x, box.vertices.cast<float>());
  for (Index v = 0; v < 8; ++v) {
    EXPECT_NEAR(normals.col(v).norm(), 1, 1e-6);
    EXPECT_GT(normals.col(v).dot(x.col(v)), 0);
  }
  double volume = 0;
  for (std::size_t t = 0; t < 12; ++t) {
    Eigen::Matrix3f corners;
    for (std::size_t c = 0; c < 3; ++c)
      corners.col(static_cast<Index>(c)) = x.col(word_at(bytes, data + 192 + 12 * t + 4 * c));
    volume += static_cast<double>(corners.determinant()) / 6;
  }
  EXPECT_NEAR(volume, 6, 1e-6);
}

TEST(WriteMesh, RefusesWhatAFormatCannotHold) {
  const Folder folder;
  Mesh box = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  expect_input_error([&] { write_mesh(folder.file("m.step"), box); }, folder.file("m.step"), "",
                     "expected .vtk, .vtu, .msh, .obj, .ply, .stl or .glb");
  box.vertices(0, 0) = 1e300;
  for (const char* name : {"m.stl", "m.glb"})
    expect_input_error([&] { write_mesh(folder.file(name), box); }, "", "",
                       "does not fit into single precision");
}

}  // namespace
}  // namespace resilin

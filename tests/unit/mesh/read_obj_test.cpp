#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace resilin {
namespace {

using testing::expect_input_error;
using testing::Folder;

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

Mesh read(const std::string& text) {
  const Folder folder;
  return read_mesh(folder.write("m.obj", text));
}

void expect_error(const std::string& text, int line, const std::string& part) {
  const Folder folder;
  const std::string file = folder.write("m.obj", text);
  expect_input_error([&] { read_mesh(file); }, file, ":" + std::to_string(line), part);
}

TEST(ReadObj, FacesWithAllFormsOfIndices) {
  const Mesh mesh = read(kSquare +
                         "vt 0 0\nvn 0 0 1\no thing\ng group\ns off\nusemtl m\nmtllib m.mtl\n"
                         "f 1 2 3\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf -4 -3 -2\n");
  EXPECT_EQ(mesh.type, ElementType::Tri3);
  EXPECT_EQ(mesh.num_vertices(), 4);
  ASSERT_EQ(mesh.num_elements(), 5);
  for (Index t = 0; t < 5; ++t) EXPECT_EQ(mesh.elements.col(t), Eigen::Vector3i(0, 1, 2)) << t;
}

TEST(ReadObj, NegativeIndicesCountFromTheVerticesSoFar) {
  const Mesh mesh = read("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -1 -2 -3\nv 0 1 0\nf -1 -2 -3\n");
  EXPECT_EQ(mesh.elements.col(0), Eigen::Vector3i(2, 1, 0));
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector3i(3, 2, 1));
}

TEST(ReadObj, PolygonsAreSplitInAFan) {
  const Mesh mesh = read(kSquare + "v -1 0.5 0\nf 1 2 3 4 5\n");
  ASSERT_EQ(mesh.num_elements(), 3);
  EXPECT_EQ(mesh.elements.col(2), Eigen::Vector3i(0, 3, 4));
  EXPECT_DOUBLE_EQ(element_measures(mesh).sum(), 1.5);
}

TEST(ReadObj, CommentsBlankLinesCarriageReturnsAndContinuations) {
  const Mesh mesh = read(
      "# head\r\n\r\nv 0 0 0 # first\r\nv +1e0 0 0 1.0\r\n  v 1 1 0 0.5 0.5 0.5\r\nf 1 2 \\\r\n 3\r\n#end");
  EXPECT_EQ(mesh.num_vertices(), 3);
  ASSERT_EQ(mesh.num_elements(), 1);
  EXPECT_EQ(mesh.vertices.col(1), Vec3(1, 0, 0));
}

TEST(ReadObj, FacesMayPrecedeTheirVertices) {
  EXPECT_EQ(read("f 1 2 3\n" + kSquare).num_elements(), 1);
  expect_error("f 1 2 3\nf 1 2 5\n" + kSquare, 2, "vertex index 5 is out of range; the file has 4 vertices");
}

TEST(ReadObj, LinesAreSegments) {
  const Mesh mesh = read(kSquare + "l 1 2 3 4\np 1\n");
  EXPECT_EQ(mesh.type, ElementType::Segment2);
  EXPECT_EQ(mesh.num_elements(), 3);
  EXPECT_EQ(read(kSquare + "l 1 2\nf 1 2 3\n").type, ElementType::Tri3);
}

TEST(ReadObj, MalformedFiles) {
  expect_error(kSquare + "v 1 2\nf 1 2 3\n", 5, "a vertex has 2 coordinates; expected three");
  expect_error(kSquare + "v 1 2 z\n", 5, "expected a coordinate (a number), not 'z'");
  expect_error(kSquare + "f 1 2\n", 5, "a face has 2 vertices; expected at least 3");
  expect_error(kSquare + "f 1 2 0\n", 5, "vertex index 0 is out of range");
  expect_error(kSquare + "f 1 2 -5\n", 5, "vertex index -5 is out of range; 4 vertices precede");
  expect_error(kSquare + "\nf 1 2 5\n", 6, "vertex index 5 is out of range");
  expect_error(kSquare + "f 1 2 99999999999\n", 5, "vertex index 99999999999 is out of range");
  expect_error(kSquare + "f 1 2 9999999999999999999999\n", 5, "expected a vertex index");
  expect_error(kSquare + "f 1 2 3/x\n", 5, "such as 3, 3/1 or 3/1/2, not '3/x'");
  expect_error(kSquare + "f 1 2 3/1/1/1\n", 5, "not '3/1/1/1'");
  expect_error(kSquare + "f 1 2 a\n", 5, "not 'a'");
  expect_error(kSquare + "face 1 2 3\n", 5, "unknown keyword 'face'");
  expect_error("solid\x01 x\n", 1, "unknown keyword 'solid?'");
}

TEST(ReadObj, EmptyFile) {
  const Folder folder;
  const std::string file = folder.write("m.obj", "");
  expect_input_error([&] { read_mesh(file); }, file, "", "no segments, triangles");
}

TEST(ReadObj, CoordinatesMustBeFinite) {
  for (const char* bad : {"nan", "inf", "-inf"})
    expect_input_error([&] { parse_mesh(std::string("v 0 0 0\nv ") + bad + " 0 0\n", "m.obj"); }, "m.obj",
                       ":2", "expected a finite number");
  // Weights and colours may be what they like.
  EXPECT_EQ(parse_mesh("v 0 0 0 nan\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "m.obj").num_elements(), 1);
}

#ifdef RESILIN_SOURCE_DIR
TEST(ReadObj, PublishedSurfacesAreReadAndVoxelised) {
  const std::string folder = std::string(RESILIN_SOURCE_DIR) + "/../shared/data/diffpd/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reference meshes at " << folder;
  const Mesh bob = read_mesh(folder + "bob.obj");  // with normals: f 549 2162 2152
  EXPECT_EQ(bob.num_vertices(), 3087);
  EXPECT_EQ(bob.num_elements(), 6174);
  for (const char* name : {"bob", "bunny_watertight_simplified", "plant_tri_mesh", "torus_tri_mesh"}) {
    const Mesh surface = read_mesh(folder + name + ".obj");
    const double extent =
        (surface.vertices.rowwise().maxCoeff() - surface.vertices.rowwise().minCoeff()).maxCoeff();
    const double volume = testing::enclosed_volume(surface.vertices, extract_surface(surface));
    const auto begin = std::chrono::steady_clock::now();
    const Mesh cells = voxelize(surface, extent / 100, ElementType::Hex8);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_NEAR(element_measures(cells).sum() / volume, 1, 0.05) << name;
  }
  const Mesh ground = read_mesh(folder + "curved_ground.obj");
  expect_input_error([&] { voxelize(ground, 0.1, ElementType::Hex8); }, "", "", "the surface is open");
}
#endif

}  // namespace
}  // namespace resilin

#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

namespace resilin {
namespace {

TEST(WriteObj, SurfaceOfAVolumeMeshReadsBack) {
  const testing::Folder folder;
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    const Mesh ball = make_sphere(0.37, 4, type);
    write_obj(folder.file("m.obj"), ball);
    const Mesh surface = read_mesh(folder.file("m.obj"));
    EXPECT_EQ(surface.num_vertices(), 125 - 27);  // without the inner vertices
    EXPECT_EQ(surface.num_elements(), 2 * 6 * 16);
    // Hexahedra: a fan of the bilinear quads encloses a slightly different volume.
    EXPECT_NEAR(
        testing::enclosed_volume(surface.vertices, extract_surface(surface)) / element_measures(ball).sum(),
        1, type == ElementType::Tet4 ? 1e-13 : 0.01);
  }
}

TEST(WriteObj, TrianglesAndSegmentsReadBackBitByBit) {
  const testing::Folder folder;
  Mesh mesh = testing::triangles_of(make_sphere(1.0 / 3.0, 3, ElementType::Tet4));
  write_obj(folder.file("m.obj"), mesh);
  Mesh back = read_mesh(folder.file("m.obj"));
  EXPECT_EQ(back.vertices, mesh.vertices);
  EXPECT_EQ(back.elements, mesh.elements);
  mesh.type = ElementType::Segment2;
  mesh.elements = mesh.elements.topRows(2).eval();
  write_obj(folder.file("m.obj"), mesh);
  back = read_mesh(folder.file("m.obj"));
  EXPECT_EQ(back.type, ElementType::Segment2);
  EXPECT_EQ(back.elements, mesh.elements);
}

}  // namespace
}  // namespace resilin

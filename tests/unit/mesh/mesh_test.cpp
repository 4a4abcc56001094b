#include "core/mesh/mesh.hpp"

#include "core/base/error.hpp"
#include "core/mesh/generators.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace resilin {
namespace {

using testing::enclosed_volume;

Mesh one_element(ElementType type, const Mat3X& vertices) {
  Mesh mesh;
  mesh.type = type;
  mesh.vertices = vertices;
  mesh.elements.resize(vertices.cols(), 1);
  for (Index i = 0; i < vertices.cols(); ++i) mesh.elements(i, 0) = static_cast<int>(i);
  return mesh;
}

TEST(Mesh, NamesAndNodeCounts) {
  EXPECT_STREQ(name_of(ElementType::Segment2), "segment2");
  EXPECT_STREQ(name_of(ElementType::Tri3), "tri3");
  EXPECT_STREQ(name_of(ElementType::Tet4), "tet4");
  EXPECT_STREQ(name_of(ElementType::Hex8), "hex8");
  EXPECT_EQ(nodes_per_element(ElementType::Segment2), 2);
  EXPECT_EQ(nodes_per_element(ElementType::Tri3), 3);
  EXPECT_EQ(nodes_per_element(ElementType::Tet4), 4);
  EXPECT_EQ(nodes_per_element(ElementType::Hex8), 8);
}

TEST(Mesh, MeasuresOfSingleElements) {
  Mat3X x(3, 4);
  x << 0, 3, 0, 0,  //
      0, 4, 2, 0,   //
      0, 0, 0, 5;
  EXPECT_DOUBLE_EQ(element_measures(one_element(ElementType::Segment2, x.leftCols(2)))[0], 5.0);
  EXPECT_DOUBLE_EQ(element_measures(one_element(ElementType::Tri3, x.leftCols(3)))[0], 3.0);
  EXPECT_DOUBLE_EQ(element_measures(one_element(ElementType::Tet4, x))[0], 5.0);
  x.col(1).swap(x.col(2));
  EXPECT_DOUBLE_EQ(element_measures(one_element(ElementType::Tet4, x))[0], -5.0);
}

TEST(Mesh, VolumeOfAFrustumIsExact) {
  // A square frustum: bottom edge 2, top edge 1, height 3: V = h/3 (A1 + A2 + sqrt(A1 A2)) = 7.
  Mat3X x(3, 8);
  x << -1, 1, 1, -1, -0.5, 0.5, 0.5, -0.5,  //
      -1, -1, 1, 1, -0.5, -0.5, 0.5, 0.5,   //
      0, 0, 0, 0, 3, 3, 3, 3;
  EXPECT_NEAR(element_measures(one_element(ElementType::Hex8, x))[0], 7.0, 1e-14);
}

TEST(Mesh, SurfaceOfOneHexahedronInTheOrderOfLocalFaces) {
  const SurfaceFaces s = extract_surface(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  EXPECT_EQ(s.nodes_per_face, 4);
  ASSERT_EQ(s.faces.cols(), 6);
  EXPECT_EQ(s.element, std::vector<Index>(6, 0));
  // Box vertex ix * 4 + iy * 2 + iz; the bottom comes first, counter-clockwise seen from below, then the top.
  EXPECT_EQ(s.faces.col(0), Eigen::Vector4i(0, 2, 6, 4));
  EXPECT_EQ(s.faces.col(1), Eigen::Vector4i(1, 5, 7, 3));
}

TEST(Mesh, SurfaceEnclosesTheVolumeAndIsClosed) {
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    for (const Mesh& mesh : {make_box({1, 2, 3}, {2, 3, 4}, type, {5, 6, 7}), make_sphere(0.7, 5, type),
                             make_cylinder(0.3, 1.1, 3, 4, type)}) {
      const SurfaceFaces s = extract_surface(mesh);
      const double volume = element_measures(mesh).sum();
      EXPECT_GT(volume, 0);
      EXPECT_NEAR(enclosed_volume(mesh.vertices, s), volume, 1e-11 * volume) << name_of(type);
      std::map<std::pair<int, int>, int> balance;  // each edge once in each direction
      for (Index f = 0; f < s.faces.cols(); ++f)
        for (Index c = 0; c < s.nodes_per_face; ++c) {
          const int a = s.faces(c, f), b = s.faces((c + 1) % s.nodes_per_face, f);
          balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
      for (const auto& [edge, sum] : balance) EXPECT_EQ(sum, 0) << edge.first << " " << edge.second;
    }
  }
}

TEST(Mesh, SurfaceFacesAreCountedAndOrderedByElement) {
  const SurfaceFaces hex = extract_surface(make_box({1, 1, 1}, {2, 3, 4}, ElementType::Hex8));
  EXPECT_EQ(hex.faces.cols(), 2 * (2 * 3 + 3 * 4 + 4 * 2));
  EXPECT_TRUE(std::is_sorted(hex.element.begin(), hex.element.end()));
  const SurfaceFaces tet = extract_surface(make_box({1, 1, 1}, {2, 3, 4}, ElementType::Tet4));
  EXPECT_EQ(tet.faces.cols(), 2 * hex.faces.cols());
  EXPECT_TRUE(std::is_sorted(tet.element.begin(), tet.element.end()));
}

TEST(Mesh, TrianglesAreTheirOwnSurface) {
  const Mesh mesh = testing::triangles_of(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  const SurfaceFaces s = extract_surface(mesh);
  EXPECT_EQ(s.faces, mesh.elements);
  ASSERT_EQ(s.element.size(), 12U);
  EXPECT_EQ(s.element[11], 11);
}

TEST(Mesh, RefusesSurfacesThatMakeNoSense) {
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  mesh.elements = mesh.elements.replicate(1, 3).eval();
  testing::expect_input_error([&] { extract_surface(mesh); }, "", "", "elements 0, 1 and 2 share one face");
  Mat3X x = Mat3X::Random(3, 2);
  testing::expect_input_error([&] { extract_surface(one_element(ElementType::Segment2, x)); }, "", "",
                              "segment2 mesh has no surface");
}

TEST(Mesh, ComponentsAreConnectedThroughFacesOnly) {
  Mesh mesh = make_box({3, 1, 1}, {3, 1, 1}, ElementType::Hex8);
  EXPECT_EQ(face_components(mesh), (std::vector<Index>{0, 0, 0}));
  mesh.elements.col(1) = mesh.elements.col(2).eval();
  mesh.elements.conservativeResize(Eigen::NoChange, 2);
  EXPECT_EQ(face_components(mesh), (std::vector<Index>{0, 1}));
  // Two cells that share an edge only.
  const Mesh diagonal = make_voxels(
      Vec3::Zero(), {2, 2, 1}, 1, [](const Vec3& p) { return std::abs(p.x() - p.y()) - 0.5; },
      ElementType::Hex8);
  ASSERT_EQ(diagonal.num_elements(), 2);
  EXPECT_EQ(face_components(diagonal), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace resilin

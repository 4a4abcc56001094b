#include "core/mesh/quality.hpp"

#include "core/mesh/generators.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace resilin {
namespace {

Mesh good_tets() {
  return make_box({1, 1, 1}, {2, 2, 2}, ElementType::Tet4);
}

const MeshFinding* find(const std::vector<MeshFinding>& findings, const std::string& name) {
  for (const MeshFinding& f : findings)
    if (f.name == name) return &f;
  return nullptr;
}

/// Expects the finding, and its data.
void expect_finding(const Mesh& mesh, const std::string& name, bool is_error, Index count, Index first) {
  const auto findings = check_mesh(mesh);
  const MeshFinding* f = find(findings, name);
  ASSERT_NE(f, nullptr) << name;
  EXPECT_EQ(f->is_error, is_error);
  EXPECT_EQ(f->count, count);
  EXPECT_EQ(f->first, first);
  EXPECT_FALSE(f->message.empty());
}

TEST(Quality, GoodMeshesHaveNoFindings) {
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    EXPECT_TRUE(check_mesh(make_box({1, 1, 1}, {2, 2, 2}, type)).empty());
    EXPECT_TRUE(check_mesh(make_sphere(1, 4, type)).empty());
  }
  // A long brick is no sliver.
  EXPECT_TRUE(check_mesh(make_box({100, 1, 1}, {1, 1, 1}, ElementType::Hex8)).empty());
}

TEST(Quality, NoElements) {
  Mesh mesh;
  const auto findings = check_mesh(mesh);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].name, "no_elements");
  EXPECT_TRUE(findings[0].is_error);
}

TEST(Quality, NonFiniteVertex) {
  Mesh mesh = good_tets();
  mesh.vertices(1, 13) = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices(2, 7) = std::numeric_limits<double>::infinity();
  expect_finding(mesh, "non_finite_vertex", true, 2, 7);
  EXPECT_EQ(find(check_mesh(mesh), "inverted_element"), nullptr);
}

TEST(Quality, IndexOutOfRange) {
  Mesh mesh = good_tets();
  mesh.elements(2, 5) = 27;
  mesh.elements(0, 9) = -1;
  expect_finding(mesh, "index_out_of_range", true, 2, 5);
}

TEST(Quality, InvertedTetrahedronIsNamed) {
  Mesh mesh = good_tets();
  mesh.elements.col(17).head<2>().reverseInPlace();
  expect_finding(mesh, "inverted_element", true, 1, 17);
  EXPECT_NE(find(check_mesh(mesh), "inverted_element")->message.find("element 17"), std::string::npos);
}

TEST(Quality, HexahedronWithNegativeJacobianButPositiveVolumeIsInverted) {
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  mesh.vertices.col(7).setConstant(0.1);  // the corner opposite to vertex 0 pushed in, almost to vertex 0
  ASSERT_GT(element_measures(mesh)[0], 0);
  expect_finding(mesh, "inverted_element", true, 1, 0);
}

TEST(Quality, ZeroVolumeElementIsNamed) {
  Mesh mesh = good_tets();
  Mesh flat = mesh;
  flat.vertices.conservativeResize(Eigen::NoChange, mesh.num_vertices() + 4);
  flat.vertices.rightCols(4) << 0.1, 0.4, 0.1, 0.3, 0.1, 0.1, 0.3, 0.4, 0.2, 0.2, 0.2, 0.2;
  flat.elements.conservativeResize(Eigen::NoChange, mesh.num_elements() + 1);
  flat.elements.rightCols(1) << 27, 28, 29, 30;
  expect_finding(flat, "zero_volume_element", true, 1, 48);
  EXPECT_EQ(find(check_mesh(flat), "inverted_element"), nullptr);
  EXPECT_NE(find(check_mesh(flat), "zero_volume_element")->message.find("element 48"), std::string::npos);
}

TEST(Quality, ZeroAreaTriangleAndZeroLengthSegment) {
  Mesh line;
  line.type = ElementType::Tri3;
  line.vertices.resize(3, 3);
  line.vertices << 0, 1, 2, 0, 1, 2, 0, 0, 0;
  line.elements.resize(3, 1);
  line.elements << 0, 1, 2;
  expect_finding(line, "zero_volume_element", true, 1, 0);
  Mesh segment;
  segment.type = ElementType::Segment2;
  segment.vertices = Mat3X::Zero(3, 3);
  segment.vertices(0, 2) = 1;
  segment.elements.resize(2, 2);
  segment.elements << 0, 0, 2, 1;
  expect_finding(segment, "zero_volume_element", true, 1, 1);
}

TEST(Quality, EdgesOfMoreThanTwoTrianglesAndOppositeSidesAreNamed) {
  Mesh fins;  // two triangles, and a third one on their common edge 1-2
  fins.type = ElementType::Tri3;
  fins.vertices.resize(3, 5);
  fins.vertices << 0, 1, 0, 1, 0.5, 0, 0, 1, 1, 0.5, 0, 0, 0, 0, 1;
  fins.elements.resize(3, 2);
  fins.elements << 0, 1, 1, 3, 2, 2;
  fins.elements.conservativeResize(Eigen::NoChange, 3);
  fins.elements.col(2) << 1, 2, 4;
  expect_finding(fins, "non_manifold_edge", false, 1, 0);
  EXPECT_NE(find(check_mesh(fins), "non_manifold_edge")->message.find("vertices 1 and 2"), std::string::npos);
  Mesh turned = fins;
  turned.elements.conservativeResize(Eigen::NoChange, 2);
  turned.elements.col(1) << 1, 2, 3;
  expect_finding(turned, "opposite_triangles", false, 1, 0);
  turned.elements.col(1) << 1, 3, 2;
  EXPECT_EQ(find(check_mesh(turned), "opposite_triangles"), nullptr);
  EXPECT_EQ(find(check_mesh(turned), "non_manifold_edge"), nullptr);
}

TEST(Quality, DuplicateNodeInElement) {
  Mesh mesh = good_tets();
  mesh.elements(3, 4) = mesh.elements(0, 4);
  expect_finding(mesh, "duplicate_node_in_element", true, 1, 4);
}

TEST(Quality, UnusedVertex) {
  Mesh mesh = good_tets();
  mesh.vertices.conservativeResize(Eigen::NoChange, 29);
  mesh.vertices.rightCols(2) << 0.1, 0.3, 0.2, 0.3, 0.4, 0.3;
  expect_finding(mesh, "unused_vertex", false, 2, 27);
}

TEST(Quality, DuplicateVertex) {
  Mesh mesh = good_tets();
  mesh.vertices.conservativeResize(Eigen::NoChange, 28);
  mesh.vertices.col(27) = mesh.vertices.col(3) + Vec3::Constant(1e-12);
  expect_finding(mesh, "duplicate_vertex", false, 1, 27);
}

TEST(Quality, SliverElements) {
  Mesh mesh = make_box({1, 1, 1e-3}, {1, 1, 1}, ElementType::Tet4);
  expect_finding(mesh, "sliver_element", false, 6, 0);
  Mesh hex = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  hex.vertices.row(0) += 300 * hex.vertices.row(2);  // sheared by 89.8 degrees
  expect_finding(hex, "sliver_element", false, 1, 0);
}

TEST(Quality, SuspiciousScale) {
  for (const double scale : {1001.0, 0.9e-5}) {
    Mesh mesh = good_tets();
    mesh.vertices *= scale;
    expect_finding(mesh, "suspicious_scale", false, 1, -1);
  }
  for (const double scale : {999.0, 1.1e-5}) {
    Mesh mesh = good_tets();
    mesh.vertices *= scale;
    EXPECT_TRUE(check_mesh(mesh).empty());
  }
}

}  // namespace
}  // namespace resilin

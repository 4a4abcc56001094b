#include "core/mesh/generators.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace resilin {
namespace {

using testing::expect_input_error;
using testing::triangles_of;

Mesh box_surface(const Vec3& size, Index cells, const Vec3& origin = Vec3::Zero()) {
  const Mesh box = make_box(size, Cells::Constant(cells), ElementType::Hex8, origin);
  return triangles_of(box);
}

Mesh joined(const Mesh& a, const Mesh& b) {
  Mesh mesh;
  mesh.type = a.type;
  mesh.vertices.resize(3, a.num_vertices() + b.num_vertices());
  mesh.vertices << a.vertices, b.vertices;
  mesh.elements.resize(3, a.num_elements() + b.num_elements());
  mesh.elements << a.elements, (b.elements.array() + static_cast<int>(a.num_vertices())).matrix();
  return mesh;
}

TEST(Voxelize, FillsABoxWhoseEdgesLieOnCentreLines) {
  // Cells of 1/3 over triangles of a 6-cell grid: every centre lies exactly on an edge or a vertex of the
  // projection.
  const Mesh mesh = voxelize(box_surface({1, 2, 3}, 6, {-1, 4, 0.5}), 1.0 / 3.0, ElementType::Hex8);
  EXPECT_EQ(mesh.num_elements(), 3 * 6 * 9);
  EXPECT_NEAR(element_measures(mesh).sum(), 6.0, 1e-12);
}

TEST(Voxelize, BallConvergesToItsVolume) {
  const Mesh surface = triangles_of(make_sphere(1, 16, ElementType::Hex8));
  const double exact = testing::enclosed_volume(surface.vertices, extract_surface(surface));
  const double fine = element_measures(voxelize(surface, 0.04, ElementType::Tet4)).sum();
  EXPECT_NEAR(fine / exact, 1, 0.005);
  // Ten cells across: the centres within the ball, up to those between the facets and the sphere.
  Index surely = 0, possibly = 0;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) {
        const double radius = Vec3(i - 4.5, j - 4.5, k - 4.5).norm() / 5;
        surely += radius <= 0.98 ? 1 : 0;
        possibly += radius <= 1 ? 1 : 0;
      }
  const Index count = voxelize(surface, 0.2, ElementType::Hex8).num_elements();
  EXPECT_GE(count, surely);
  EXPECT_LE(count, possibly);
}

TEST(Voxelize, AgreesWithTheSignedDistanceOfABall) {
  const Mesh surface = triangles_of(make_sphere(1, 24, ElementType::Hex8));
  const Mesh mesh = voxelize(surface, 0.1, ElementType::Hex8);
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    Vec3 centre = Vec3::Zero();
    for (const int v : mesh.elements.col(e)) centre += mesh.vertices.col(v) / 8;
    EXPECT_LT(centre.norm(), 1.0 + 1e-6);
  }
}

TEST(Voxelize, KeepsHolesAndUnitesOverlaps) {
  const Mesh outer = box_surface({5, 5, 5}, 1);
  Mesh cavity = box_surface({3, 3, 3}, 1, {1, 1, 1});
  cavity.elements.row(1).swap(cavity.elements.row(2));  // inward: a cavity
  EXPECT_EQ(voxelize(joined(outer, cavity), 1, ElementType::Hex8).num_elements(), 125 - 27);
  const Mesh overlapping = joined(box_surface({3, 1, 1}, 1), box_surface({3, 1, 1}, 1, {1, 0, 0}));
  EXPECT_EQ(voxelize(overlapping, 1, ElementType::Hex8).num_elements(), 4);
}

TEST(Voxelize, VerticesRepeatedAlongSeamsCountAsOne) {
  const Mesh surface = box_surface({2, 2, 2}, 2);
  Mesh soup;  // each triangle with vertices of its own
  soup.type = ElementType::Tri3;
  soup.vertices.resize(3, 3 * surface.num_elements());
  soup.elements.resize(3, surface.num_elements());
  for (Index t = 0; t < surface.num_elements(); ++t)
    for (Index c = 0; c < 3; ++c) {
      soup.vertices.col(3 * t + c) = surface.vertices.col(surface.elements(c, t));
      soup.elements(c, t) = static_cast<int>(3 * t + c);
    }
  EXPECT_EQ(voxelize(soup, 1, ElementType::Hex8).num_elements(), 8);
}

TEST(Voxelize, RefusesWhatHasNoInside) {
  const Mesh closed = box_surface({1, 1, 1}, 1);
  Mesh open = closed;
  open.elements.conservativeResize(Eigen::NoChange, 11);
  expect_input_error([&] { voxelize(open, 0.5, ElementType::Hex8); }, "", "",
                     "the surface is open: the edge from vertex");
  Mesh inward = closed;
  inward.elements.row(0).swap(inward.elements.row(1));
  expect_input_error([&] { voxelize(inward, 0.5, ElementType::Hex8); }, "", "", "encloses -1");
  Mesh mixed = closed;
  std::swap(mixed.elements(0, 3), mixed.elements(1, 3));
  expect_input_error([&] { voxelize(mixed, 0.5, ElementType::Hex8); }, "", "", "not consistently oriented");
  Mesh wrong = closed;
  wrong.elements(0, 0) = 8;
  expect_input_error([&] { voxelize(wrong, 0.5, ElementType::Hex8); }, "", "", "outside 0..7");
  Mesh broken = closed;
  broken.vertices(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_input_error([&] { voxelize(broken, 0.5, ElementType::Hex8); }, "", "", "finite");
  expect_input_error([&] { voxelize(closed, -1, ElementType::Hex8); }, "", "", "edge of a cell");
  const Mesh box = make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8);
  expect_input_error([&] { voxelize(box, 1, ElementType::Hex8); }, "", "", "tri3 surface, not hex8");
  expect_input_error([&] { voxelize(closed, 100, ElementType::Hex8); }, "", "", "no cell");
}

}  // namespace
}  // namespace resilin

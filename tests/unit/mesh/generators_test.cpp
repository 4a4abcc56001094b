#include "core/mesh/generators.hpp"

#include "core/base/error.hpp"
#include "core/mesh/quality.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace resilin {
namespace {

using testing::expect_input_error;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool has_errors(const Mesh& mesh) {
  const auto findings = check_mesh(mesh);
  return std::any_of(findings.begin(), findings.end(), [](const MeshFinding& f) { return f.is_error; });
}

/// How many faces belong to one element, to two, and to more.
std::array<Index, 3> face_counts(const Mesh& tets) {
  constexpr int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  std::map<std::array<int, 3>, Index> count;
  for (Index e = 0; e < tets.num_elements(); ++e)
    for (const auto& f : faces) {
      std::array<int, 3> key{tets.elements(f[0], e), tets.elements(f[1], e), tets.elements(f[2], e)};
      std::sort(key.begin(), key.end());
      ++count[key];
    }
  std::array<Index, 3> result{};
  for (const auto& entry : count) ++result[static_cast<std::size_t>(std::min<Index>(entry.second, 3) - 1)];
  return result;
}

TEST(Generators, BoxNumbersVerticesAndElementsWithZFastest) {
  const Mesh mesh = make_box({2, 3, 4}, {2, 3, 4}, ElementType::Hex8, {10, 20, 30});
  ASSERT_EQ(mesh.num_vertices(), 3 * 4 * 5);
  ASSERT_EQ(mesh.num_elements(), 2 * 3 * 4);
  EXPECT_EQ(mesh.vertices.col(0), Vec3(10, 20, 30));
  EXPECT_EQ(mesh.vertices.col(1), Vec3(10, 20, 31));
  EXPECT_EQ(mesh.vertices.col(5), Vec3(10, 21, 30));
  EXPECT_EQ(mesh.vertices.col(20), Vec3(11, 20, 30));
  EXPECT_EQ(mesh.vertices.col(59), Vec3(12, 23, 34));
  Eigen::Matrix<int, 8, 1> first;  // corners in the order of VTK
  first << 0, 20, 25, 5, 1, 21, 26, 6;
  EXPECT_EQ(mesh.elements.col(0), first);
  EXPECT_EQ(mesh.elements.col(1), (first.array() + 1).matrix());
  EXPECT_EQ(mesh.elements.col(4), (first.array() + 5).matrix());
  EXPECT_EQ(mesh.elements.col(12), (first.array() + 20).matrix());
}

TEST(Generators, BoxVolumesAreExact) {
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    const VecX volumes = element_measures(make_box({0.3, 0.7, 1.1}, {3, 2, 5}, type));
    const double each = 0.3 * 0.7 * 1.1 / static_cast<double>(volumes.size());
    EXPECT_NEAR(volumes.minCoeff(), each, 1e-14);
    EXPECT_NEAR(volumes.maxCoeff(), each, 1e-14);
  }
}

TEST(Generators, TetrahedraConform) {
  for (const Mesh& mesh :
       {make_box({1, 1, 1}, {2, 3, 4}, ElementType::Tet4), make_sphere(1, 4, ElementType::Tet4),
        make_sphere(1, 5, ElementType::Tet4), make_cylinder(1, 1, 3, 2, ElementType::Tet4)}) {
    const auto [boundary, interior, more] = face_counts(mesh);
    EXPECT_EQ(more, 0);
    EXPECT_EQ(boundary + 2 * interior, 4 * mesh.num_elements());
    EXPECT_EQ(boundary, extract_surface(mesh).faces.cols());
  }
  // 2 triangles per boundary quad; a face split in two ways would appear among them too.
  EXPECT_EQ(face_counts(make_box({1, 1, 1}, {2, 3, 4}, ElementType::Tet4))[0], 2 * 52);
  EXPECT_EQ(face_counts(make_sphere(1, 5, ElementType::Tet4))[0], 2 * 6 * 25);
}

TEST(Generators, SphereConvergesWithSecondOrder) {
  const double exact = 4.0 / 3.0 * std::numbers::pi * 8;
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4}) {
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Mesh mesh = make_sphere(2, i == 0 ? 6 : 12, type);
      EXPECT_FALSE(has_errors(mesh));
      error[i] = 1 - element_measures(mesh).sum() / exact;
    }
    EXPECT_LT(error[1], 0.01);
    EXPECT_NEAR(error[0] / error[1], 4.0, 0.1) << name_of(type);
  }
}

TEST(Generators, SphereBoundaryVerticesLieOnTheSphere) {
  const Mesh mesh = make_sphere(1.5, 5, ElementType::Hex8);
  const SurfaceFaces surface = extract_surface(mesh);
  for (const int v : surface.faces.reshaped()) EXPECT_NEAR(mesh.vertices.col(v).norm(), 1.5, 1e-14);
}

TEST(Generators, SphereAndCylinderHavePositiveElementsForAnyNumberOfCells) {
  for (const ElementType type : {ElementType::Hex8, ElementType::Tet4})
    for (Index n = 1; n <= 9; ++n) {
      EXPECT_FALSE(has_errors(make_sphere(1, n, type))) << n << name_of(type);
      EXPECT_FALSE(has_errors(make_cylinder(1, 2, n, 2, type))) << n << name_of(type);
    }
}

TEST(Generators, CylinderStandsOnZeroAndConverges) {
  const Mesh mesh = make_cylinder(0.5, 3, 16, 4, ElementType::Hex8);
  EXPECT_EQ(mesh.vertices.row(2).minCoeff(), 0.0);
  EXPECT_EQ(mesh.vertices.row(2).maxCoeff(), 3.0);
  EXPECT_NEAR(mesh.vertices.topRows<2>().colwise().norm().maxCoeff(), 0.5, 1e-15);
  EXPECT_NEAR(element_measures(mesh).sum() / (std::numbers::pi * 0.25 * 3), 1, 0.002);
}

TEST(Generators, VoxelsKeepCellsWithCentreInsideAndDropUnusedVertices) {
  // Centres at distance sqrt(0.75) and more: radius 0.9 keeps the eight innermost cells of a 4^3 grid.
  const auto ball = [](const Vec3& p) { return (p - Vec3::Constant(2)).norm() - 0.9; };
  const Mesh mesh = make_voxels(Vec3::Zero(), Vec3::Constant(4), 1, ball, ElementType::Hex8);
  EXPECT_EQ(mesh.num_elements(), 8);
  EXPECT_EQ(mesh.num_vertices(), 27);
  EXPECT_EQ(mesh.vertices.col(0), Vec3(1, 1, 1));
  EXPECT_EQ(mesh.vertices.col(26), Vec3(3, 3, 3));
  EXPECT_DOUBLE_EQ(element_measures(mesh).sum(), 8.0);
  const Mesh tets = make_voxels(Vec3::Zero(), Vec3::Constant(4), 1, ball, ElementType::Tet4);
  EXPECT_EQ(tets.num_elements(), 48);
  EXPECT_GT(element_measures(tets).minCoeff(), 0);
}

TEST(Generators, VoxelGridIsNotWidenedByRounding) {
  // 0.3 / 0.1 is a little above or below 3 in floating point: three cells either way.
  const auto all = [](const Vec3&) { return -1.0; };
  EXPECT_EQ(make_voxels(Vec3::Zero(), {0.3, 0.3, 0.6}, 0.1, all, ElementType::Hex8).num_elements(),
            3 * 3 * 6);
  EXPECT_EQ(make_voxels(Vec3::Zero(), {0.35, 0.05, 0.1}, 0.1, all, ElementType::Hex8).num_elements(), 4);
}

TEST(Generators, RefuseImpossibleInput) {
  const auto hex = ElementType::Hex8;
  const auto none = [](const Vec3&) { return 1.0; };
  const auto nan = [](const Vec3&) { return kNaN; };
  expect_input_error([&] { make_box({1, 0, 1}, {1, 1, 1}, hex); }, "", "", "size[1] of the box is 0 m");
  expect_input_error([&] { make_box({1, 1, kNaN}, {1, 1, 1}, hex); }, "", "", "size[2] of the box is nan m");
  expect_input_error([&] { make_box({1, 1, 1}, {1, 0, 1}, hex); }, "", "", "1 x 0 x 1 cells");
  expect_input_error([&] { make_box({1, 1, 1}, {1 << 20, 1 << 20, 1 << 20}, hex); }, "", "", "too large");
  expect_input_error(
      [&] {
        make_box({1, 1, 1}, {1, 1, 1}, ElementType::Tri3);
      },
      "", "", "hex8 or tet4, not tri3");
  expect_input_error([&] { make_sphere(-1, 4, hex); }, "", "", "radius of the sphere is -1 m");
  expect_input_error([&] { make_cylinder(1, 0, 4, 4, hex); }, "", "", "height of the cylinder is 0 m");
  expect_input_error([&] { make_voxels(Vec3::Zero(), Vec3::Ones(), 0.5, none, hex); }, "", "", "no cell");
  expect_input_error([&] { make_voxels(Vec3::Zero(), Vec3::Ones(), 0.5, nan, hex); }, "", "", "not a number");
  expect_input_error([&] { make_voxels(Vec3::Zero(), Vec3::Ones(), 0, none, hex); }, "", "",
                     "edge of a cell is 0 m");
  expect_input_error([&] { make_voxels(Vec3::Zero(), Vec3::Ones(), 1e-9, none, hex); }, "", "", "too large");
  expect_input_error([&] { make_voxels(Vec3::Ones(), Vec3::Ones(), 1, none, hex); }, "", "",
                     "extent of the box");
}

}  // namespace
}  // namespace resilin

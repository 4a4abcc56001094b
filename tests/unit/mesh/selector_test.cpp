#include "core/mesh/selector.hpp"

#include "core/mesh/generators.hpp"
#include "core/params/io.hpp"
#include "core/plugin/registry.hpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <malloc.h>

namespace resilin {
namespace {

using testing::expect_input_error;

Mesh grid() {
  return make_box({0.3, 0.3, 0.3}, {3, 3, 3}, ElementType::Hex8);
}

Selector read(const std::string& yaml) {
  Selector selector;
  Diagnostics diagnostics;
  PlaceMap places;
  const Registry registry;
  read_options(
      parse_tree(yaml, "test.yaml"), [&](ParamVisitor& v) { selector.visit(v); }, registry, diagnostics,
      places);
  diagnostics.throw_if_any();
  return selector;
}

TEST(Selector, WithoutCriteriaSelectsEverything) {
  EXPECT_EQ(select_vertices(grid(), {}).size(), 64U);
  EXPECT_EQ(select_elements(grid(), {}).size(), 27U);
}

TEST(Selector, BoxEndsAreInclusive) {
  Selector s;
  s.has_box = true;
  s.box_min = {0, 0, 0};
  s.box_max = {0.3, 0.3, 0.1};  // 0.1 and the vertex at 0.3 * (1 / 3) differ by rounding
  EXPECT_EQ(select_vertices(grid(), s).size(), 32U);
  s.box_max.z() = 0.1 - 1e-8;
  EXPECT_EQ(select_vertices(grid(), s).size(), 16U);
  s.box_max.z() = 0.1 - 1e-10;  // within 1e-9 of the extent
  EXPECT_EQ(select_vertices(grid(), s).size(), 32U);
}

TEST(Selector, PlaneSelectsTheSideOfItsNormalAndItself) {
  Selector s;
  s.has_plane = true;
  s.plane_point = {0.2, 0, 0};
  s.plane_normal = {5, 0, 0};
  EXPECT_EQ(select_vertices(grid(), s).size(), 32U);
  s.plane_normal = {-0.1, 0, 0};
  EXPECT_EQ(select_vertices(grid(), s).size(), 48U);
  s.plane_normal.setZero();
  expect_input_error([&] { select_vertices(grid(), s); }, "", "", "normal [0, 0, 0]");
}

TEST(Selector, SphereIncludesItsSurface) {
  Selector s;
  s.has_sphere = true;
  s.sphere_radius = 0.1;
  EXPECT_EQ(select_vertices(grid(), s), (std::vector<Index>{0, 1, 4, 16}));
}

TEST(Selector, ElementsAreSelectedByTheirCentroid) {
  Selector s;
  s.has_box = true;
  s.box_min = {0, 0, 0};
  s.box_max = {0.06, 0.06, 0.3};
  EXPECT_EQ(select_elements(grid(), s), (std::vector<Index>{0, 1, 2}));
}

TEST(Selector, SurfaceOfVerticesAndElements) {
  Selector s;
  s.surface = true;
  EXPECT_EQ(select_vertices(grid(), s).size(), 64U - 8U);
  const auto elements = select_elements(grid(), s);
  EXPECT_EQ(elements.size(), 26U);
  EXPECT_EQ(std::count(elements.begin(), elements.end(), 13), 0);  // the one in the middle
}

TEST(Selector, AllCriteriaMustHold) {
  Selector s;
  s.indices = {63, 0, 0, 21, 5};
  EXPECT_EQ(select_vertices(grid(), s), (std::vector<Index>{0, 5, 21, 63}));
  s.has_plane = true;
  s.plane_point = {0.05, 0, 0};
  s.plane_normal = Vec3::UnitX();
  EXPECT_EQ(select_vertices(grid(), s), (std::vector<Index>{21, 63}));
  s.surface = true;
  EXPECT_EQ(select_vertices(grid(), s), (std::vector<Index>{63}));
  s.has_sphere = true;
  s.sphere_radius = 0.01;
  EXPECT_TRUE(select_vertices(grid(), s).empty());
}

// The C library overwrites what is freed (larger pieces only), so that whoever reads it afterwards gets lost.
TEST(Selector, TheSurfaceIsNotReadAfterItIsFreed) {
  constexpr Index n = 12;
  const Mesh mesh = make_box({1, 1, 1}, {n, n, n}, ElementType::Hex8);
  Selector s;
  s.surface = true;
  ::mallopt(M_PERTURB, 0x5a);
  const std::size_t found = select_vertices(mesh, s).size();
  ::mallopt(M_PERTURB, 0);
  EXPECT_EQ(found, static_cast<std::size_t>((n + 1) * (n + 1) * (n + 1) - (n - 1) * (n - 1) * (n - 1)));
}

TEST(Selector, IndexOutOfRange) {
  Selector s;
  s.indices = {3, 64};
  expect_input_error([&] { select_vertices(grid(), s); }, "", "",
                     "index 64 is out of range; the mesh has 64 vertices");
  s.indices = {27};
  expect_input_error([&] { select_elements(grid(), s); }, "", "",
                     "index 27 is out of range; the mesh has 27 elements");
}

TEST(Selector, IsReadFromYaml) {
  const Selector s = read(
      "{box: {min: [0, 1, 2], max: [3, 4, 5]}, sphere: {center: [1, 2, 3], radius: 4},\n"
      " plane: {point: [7, 8, 9], normal: [0, 1, 0]}, indices: [4, 2], surface: true}");
  EXPECT_TRUE(s.has_box && s.has_sphere && s.has_plane && s.surface);
  EXPECT_EQ(s.box_min, Vec3(0, 1, 2));
  EXPECT_EQ(s.box_max, Vec3(3, 4, 5));
  EXPECT_EQ(s.sphere_center, Vec3(1, 2, 3));
  EXPECT_EQ(s.sphere_radius, 4);
  EXPECT_EQ(s.plane_point, Vec3(7, 8, 9));
  EXPECT_EQ(s.plane_normal, Vec3(0, 1, 0));
  EXPECT_EQ(s.indices, (std::vector<Index>{4, 2}));
  const Selector none = read("{indices: []}");
  EXPECT_FALSE(none.has_box || none.has_sphere || none.has_plane || none.surface);
}

TEST(Selector, MistakesInYamlAreErrors) {
  EXPECT_THROW(read("{box: {min: [0, 0, 0]}}"), Error);                  // no max
  EXPECT_THROW(read("{box: {min: [0, 0, 1], max: [1, 1, 0]}}"), Error);  // min above max
  EXPECT_THROW(read("{plane: {point: [0, 0, 0], normal: [0, 0, 0]}}"), Error);
  EXPECT_THROW(read("{sphere: {center: [0, 0, 0], radius: -1}}"), Error);
  EXPECT_THROW(read("{indices: [-1]}"), Error);
}

TEST(Selector, BoxesSelectWhatIsInOneOfThem) {
  const Selector s =
      read("{boxes: [{min: [0, 0, 0], max: [0, 0.3, 0.3]}, {min: [0.3, 0, 0], max: [0.3, 0, 0]}]}");
  EXPECT_EQ(select_vertices(grid(), s).size(), 17U);
  EXPECT_EQ(select_vertices(grid(), read("{boxes: []}")).size(), 64U);
}

TEST(Selector, SectorsThatFollowEachOtherShareNothingAndLeaveNothingOut) {
  // Many of the centres lie on the borders of the eighths.
  const Mesh mesh = make_box({0.8, 0.8, 0.1}, {8, 8, 1}, ElementType::Hex8);
  std::vector<int> taken(64, 0);
  for (int k = 0; k < 8; ++k) {
    Selector s;
    s.has_sector = true;
    s.sector_point = {0.45, 0.45, 0};
    s.sector_from = k * 0.7853981633974483;
    s.sector_to = (k + 1) * 0.7853981633974483;
    for (const Index e : select_elements(mesh, s)) ++taken[static_cast<std::size_t>(e)];
  }
  for (const int count : taken) EXPECT_EQ(count, 1);
}

TEST(Selector, SectorsTurnRightHandedAboutTheirAxis) {
  const Mesh mesh = make_box({2, 2, 2}, {2, 2, 2}, ElementType::Hex8);
  const std::string common = "point: [1, 1, 1], axis: [0, -3, 0], start: [2, 7, 0]";
  const Selector s = read("{sector: {" + common + ", from: 0, to: 1.5707963267948966}}");  // from x to z
  for (const Index e : select_elements(mesh, s)) {
    const Vec3 low = mesh.vertices(Eigen::all, mesh.elements.col(e)).rowwise().minCoeff();
    EXPECT_EQ(low.x(), 1);
    EXPECT_EQ(low.z(), 1);
  }
  EXPECT_EQ(select_elements(mesh, s).size(), 2U);
  EXPECT_EQ(select_elements(mesh, read("{sector: {" + common + ", from: -3.2, to: 3.1}}")).size(), 8U);
  expect_input_error([] { read("{sector: {axis: [1, 0, 0], from: 0, to: 1}}"); }, "test.yaml", ":1:2",
                     "parallel to the axis");
  expect_input_error([] { read("{sector: {from: 1, to: 1}}"); }, "test.yaml", ":1:2",
                     "from must be less than to");
}

TEST(Selector, CornersBelongToOneElement) {
  EXPECT_EQ(select_vertices(grid(), read("{corners: true}")).size(), 8U);
  EXPECT_EQ(select_elements(grid(), read("{corners: true}")).size(), 8U);
}

}  // namespace
}  // namespace resilin

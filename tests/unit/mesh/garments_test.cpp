// The generators of garments: closed forms of their sizes, their topology, which side is outside.
#include "core/mesh/mesh_generator.hpp"
#include "core/mesh/quality.hpp"
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <numbers>
#include <set>

namespace resilin::test {
namespace {

Mesh garment(const std::string& type, const std::string& yaml = "{}") {
  ComponentSpec spec;
  spec.type = type;
  spec.options = registry().make_options("mesh_generator", type);
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree(yaml, "test.yaml"), [&](ParamVisitor& v) { spec.options->visit(v); }, registry(),
      diagnostics, places);
  diagnostics.throw_if_any();
  return registry().make<MeshGenerator>(spec, {})->generate();
}

/// Euler characteristic V - E + F, loops of boundary edges and the number of connected pieces.
struct Topology {
  Index euler = 0, loops = 0, pieces = 0;
};
Index count_pieces(Index n, const std::vector<std::pair<int, int>>& edges, const std::set<int>& of) {
  std::vector<int> root(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  const std::function<int(int)> find = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return root[at] == i ? i : root[at] = find(root[at]);
  };
  for (const auto& [a, b] : edges) root[static_cast<std::size_t>(find(a))] = find(b);
  std::set<int> roots;
  for (const int i : of) roots.insert(find(i));
  return static_cast<Index>(roots.size());
}
Topology topology(const Mesh& mesh) {
  std::map<std::pair<int, int>, int> uses;
  std::set<int> used;
  for (Index e = 0; e < mesh.num_elements(); ++e)
    for (Index c = 0; c < 3; ++c) {
      ++uses[std::minmax({mesh.elements(c, e), mesh.elements((c + 1) % 3, e)})];
      used.insert(mesh.elements(c, e));
    }
  std::vector<std::pair<int, int>> all, open;
  std::map<int, int> ends;
  std::set<int> rim;
  for (const auto& [edge, count] : uses) {
    all.push_back(edge);
    if (count != 1) continue;
    open.push_back(edge);
    for (const int v : {edge.first, edge.second}) ++ends[v], rim.insert(v);
  }
  for (const auto& [v, count] : ends) EXPECT_EQ(count, 2) << "boundaries touch at vertex " << v;
  const Index n = mesh.num_vertices();
  return {n - static_cast<Index>(all.size()) + mesh.num_elements(), count_pieces(n, open, rim),
          count_pieces(n, all, used)};
}
/// No finding at all: manifold, one side outside, no flat triangle, nothing doubled or unused.
void expect_sound(const Mesh& mesh) {
  for (const MeshFinding& f : check_mesh(mesh)) ADD_FAILURE() << f.name << ": " << f.message;
}
Vec3 vector_area(const Mesh& mesh, Index e) {
  const auto p = [&](Index c) -> Vec3 { return mesh.vertices.col(mesh.elements(c, e)); };
  return 0.5 * (p(1) - p(0)).cross(p(2) - p(0));
}
Vec3 middle(const Mesh& mesh, Index e) {
  return mesh.vertices(Eigen::all, mesh.elements.col(e)).rowwise().mean();
}

TEST(Garments, AConeIsAnOpenFrustumWithItsNormalsOutward) {
  const Mesh mesh = garment(
      "cone", "{top_radius: 0.2, bottom_radius: 0.5, height: 0.4, cells_around: 200, cells_along: 20}");
  expect_sound(mesh);
  const Topology t = topology(mesh);
  EXPECT_EQ(t.euler, 0);
  EXPECT_EQ(t.loops, 2);
  EXPECT_EQ(t.pieces, 1);
  EXPECT_NEAR(element_measures(mesh).sum(), M_PI * 0.7 * 0.5, 2e-4);  // slant height 0.5
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    const Vec3 n = vector_area(mesh, e).normalized(), r = middle(mesh, e);
    EXPECT_NEAR(n.dot(Vec3(r.x(), r.y(), 0).normalized()), 0.8, 1e-3);
    EXPECT_NEAR(n.z(), 0.6, 1e-3);
  }
}

TEST(Garments, AHatIsACapWithABrim) {
  const Mesh mesh =
      garment("hat", "{radius: 0.2, brim_width: 0.1, cells_around: 100, cells_crown: 40, cells_brim: 3}");
  expect_sound(mesh);
  const Topology t = topology(mesh);
  EXPECT_EQ(t.euler, 1);
  EXPECT_EQ(t.loops, 1);
  EXPECT_EQ(t.pieces, 1);
  EXPECT_NEAR(element_measures(mesh).sum(), 2 * M_PI * 0.04 + M_PI * (0.09 - 0.04), 1e-3);
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    const Vec3 n = vector_area(mesh, e).normalized(), r = middle(mesh, e);
    if (std::hypot(r.x(), r.y()) > 0.2)
      EXPECT_GT(n.z(), 0.999) << "the brim";
    else
      EXPECT_GT(n.dot(r.normalized()), 0.99) << "the crown";
  }
  const Mesh drooping = garment("hat", "{radius: 0.2, brim_width: 0.1, droop: 0.5}");
  EXPECT_NEAR(drooping.vertices.row(2).minCoeff(), -0.1 * std::sin(0.5), 1e-15);
}

TEST(Garments, ASockIsATubeWithOneClosedEnd) {
  const Mesh mesh = garment(
      "sock",
      "{radius: 0.05, leg: 0.2, bend: 0.08, foot: 0.1, cells_around: 60, cells_bend: 30, cells_toe: 20}");
  expect_sound(mesh);
  const Topology t = topology(mesh);
  EXPECT_EQ(t.euler, 1);
  EXPECT_EQ(t.loops, 1);
  EXPECT_EQ(t.pieces, 1);
  // Tubes have the area of circumference times middle line [Pappus], the toes half a sphere.
  const double area = 2 * M_PI * 0.05 * (0.2 + 0.5 * M_PI * 0.08 + 0.1) + 2 * M_PI * 0.0025;
  EXPECT_NEAR(element_measures(mesh).sum(), area, 5e-3 * area);
  // With a lid on the opening the divergence theorem gives the volume, positive if outside is outside.
  double volume = 0;
  for (Index e = 0; e < mesh.num_elements(); ++e) volume += vector_area(mesh, e).dot(middle(mesh, e)) / 3;
  volume += M_PI * 0.0025 * 0.28 / 3;
  const double exact = M_PI * 0.0025 * (0.2 + 0.5 * M_PI * 0.08 + 0.1) + 2.0 / 3 * M_PI * 0.000125;
  EXPECT_NEAR(volume, exact, 1e-2 * exact);
  EXPECT_NEAR(mesh.vertices.row(2).maxCoeff(), 0.28, 1e-15);
  EXPECT_NEAR(mesh.vertices.row(0).maxCoeff(), 0.08 + 0.1 + 0.05, 1e-15);
  Selector opening;
  opening.boundary = true;
  for (const Index v : select_vertices(mesh, opening)) EXPECT_NEAR(mesh.vertices(2, v), 0.28, 1e-15);
}

TEST(Garments, AShirtHasFourOpeningsAndTwoSides) {
  for (const double cell : {0.3, 0.05, 0.02}) {
    const Mesh mesh = garment("shirt", fmt::format("{{cell: {}}}", cell));
    expect_sound(mesh);
    const Topology t = topology(mesh);
    EXPECT_EQ(t.euler, 2 - 4);
    EXPECT_EQ(t.loops, 4);
    EXPECT_EQ(t.pieces, 1);
    // Its shadow is that of each of both panels: outside is front in front.
    double front = 0, back = 0;
    for (Index e = 0; e < mesh.num_elements(); ++e) {
      EXPECT_GT(vector_area(mesh, e).z() * middle(mesh, e).z(), 0) << "triangle " << e;
      (middle(mesh, e).z() > 0 ? front : back) += vector_area(mesh, e).z();
    }
    EXPECT_NEAR(front, 0.5 * 0.7 + 2 * 0.2 * 0.2, 1e-12);
    EXPECT_NEAR(back, -front, 1e-12);
    EXPECT_NEAR(mesh.vertices.row(1).minCoeff(), 0, 1e-15);
    EXPECT_NEAR(mesh.vertices.row(0).maxCoeff(), 0.45, 1e-15);
    EXPECT_LE(mesh.vertices.row(2).maxCoeff(), 0.05);
  }
  // Symmetric: what it weighs is in the middle.
  const Mesh mesh = garment("shirt");
  EXPECT_LT(std::abs(mesh.vertices.row(0).mean()), 1e-14);
  EXPECT_LT(std::abs(mesh.vertices.row(2).mean()), 1e-14);
}

TEST(Garments, SizesThatGiveNoGarmentAreNamed) {
  using ::testing::HasSubstr;
  const auto error = [](const std::string& type, const std::string& yaml) -> std::string {
    try {
      (void)garment(type, yaml);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error("sock", "{radius: 0.1}"), HasSubstr("radius must be less than that of the bend"));
  EXPECT_THAT(error("shirt", "{neck_width: 0.6}"), HasSubstr("neck_width must be less than width"));
  EXPECT_THAT(error("shirt", "{sleeve_width: 0.7}"), HasSubstr("sleeve_width must be less than height"));
  EXPECT_THAT(error("shirt", "{cell: 1e-9}"), HasSubstr("too small"));
  EXPECT_THAT(error("cone", "{top_radius: 0}"), HasSubstr("top_radius"));
  EXPECT_THAT(error("hat", "{cells_around: 2}"), HasSubstr("cells_around"));
}

}  // namespace
}  // namespace resilin::test

#include "core/geometry/triangle_surface.hpp"

#include "core/base/error.hpp"
#include "core/mesh/generators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace resilin {
namespace {

/// The boundary of a volume mesh as triangles.
Mesh triangles_of(const Mesh& volume) {
  const SurfaceFaces s = extract_surface(volume);
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices = volume.vertices;
  mesh.elements = s.faces;
  return mesh;
}
Mesh ball(Index cells) {
  return triangles_of(make_sphere(1, cells, ElementType::Tet4));
}
Mesh cube() {
  return triangles_of(make_box({2, 2, 2}, {2, 2, 2}, ElementType::Tet4, {-1, -1, -1}));
}

Vec3 random_point(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  return {normal(engine), normal(engine), normal(engine)};
}

TEST(TriangleSet, FindsTheSameClosestTriangleAsBruteForce) {
  const TriangleSurface surface(ball(6));
  const TriangleSet& set = surface.set();
  std::mt19937_64 engine(2);
  for (int trial = 0; trial < 300; ++trial) {
    // Vertices and the centre are equally far from many triangles.
    const Vec3 p = trial < 20   ? Vec3(1.1 * set.vertices().col(trial))
                   : trial < 22 ? Vec3::Zero()
                                : random_point(engine);
    Index expected = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < set.size(); ++t)
      if (const double d = set.closest_on(t, p).squared_distance; d < least) {
        least = d;
        expected = t;
      }
    const TriangleSet::Closest c = set.closest(p);
    EXPECT_EQ(c.triangle, expected);
    EXPECT_EQ(c.point.squared_distance, least);
  }
}

TEST(TriangleSet, ARayFirstHitsTheNearSide) {
  const TriangleSurface box(cube());
  const auto hit = box.set().first_hit({0.3, 0.2, 5}, {0, 0, -2});
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->s, 2, 1e-15);
  const auto from_inside = box.set().first_hit({0.3, 0.2, 0}, {0, 0, -2});
  ASSERT_TRUE(from_inside.has_value());
  EXPECT_NEAR(from_inside->s, 0.5, 1e-15);
  EXPECT_TRUE(box.set().first_hit({0, 0, 5}, {0, 0, -1}).has_value()) << "through an edge";
  EXPECT_FALSE(box.set().first_hit({3, 0, 5}, {0, 0, -1}).has_value());
  EXPECT_FALSE(box.set().first_hit({0.3, 0.2, 5}, {0, 0, 1}).has_value());
}

TEST(TriangleSurface, IsExactForACubeInAllRegions) {
  const TriangleSurface surface(cube());
  std::mt19937_64 engine(4);
  int inside = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 p = 1.2 * random_point(engine), q = p.cwiseAbs() - Vec3::Ones();
    const double expected = q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
    const LocalPoint at = surface.at(p);
    EXPECT_NEAR(at.distance, expected, 1e-14);
    EXPECT_NEAR(at.normal.norm(), 1, 1e-12);
    inside += expected < 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
}

TEST(TriangleSurface, OnItsEdgesAndVerticesThePseudonormalStands) {
  const TriangleSurface surface(cube());
  const LocalPoint corner = surface.at({1, 1, 1}), edge = surface.at({1, 1, 0.3}),
                   face = surface.at({1, 0.3, 0.2});
  EXPECT_FALSE(corner.regular);
  EXPECT_LT((corner.normal - Vec3(1, 1, 1).normalized()).norm(), 1e-14);
  EXPECT_FALSE(edge.regular);
  EXPECT_LT((edge.normal - Vec3(1, 1, 0).normalized()).norm(), 1e-14);
  EXPECT_TRUE(face.regular);
  EXPECT_LT((face.normal - Vec3(1, 0, 0)).norm(), 1e-14);
}

TEST(TriangleSurface, FeaturesTellFacesEdgesAndVerticesApart) {
  const TriangleSurface surface(cube());
  const Index faces = surface.set().size(), edges = surface.num_edges();
  EXPECT_EQ(faces, 48);
  EXPECT_EQ(edges, 72);  // 3/2 of the faces
  EXPECT_LT(surface.at({2, 0.3, 0.2}).feature, faces);
  const Index edge = surface.at({2, 2, 0.3}).feature, corner = surface.at({2, 2, 2}).feature;
  EXPECT_GE(edge, faces);
  EXPECT_LT(edge, faces + edges);
  EXPECT_GE(corner, faces + edges);
  EXPECT_EQ(surface.at({3, 1.5, 0.4}).feature, edge);
}

TEST(TriangleSurface, OfARefinedBallConvergesWithTheSquareOfTheEdges) {
  std::vector<double> distance, normal;
  for (const Index cells : {4, 8, 16}) {
    const TriangleSurface surface(ball(cells));
    std::mt19937_64 engine(6);
    double worst = 0, worst_normal = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const Vec3 p = random_point(engine);
      if (p.norm() < 0.3) continue;  // close to the medial axis normals differ much
      const LocalPoint at = surface.at(p);
      worst = std::max(worst, std::abs(at.distance - (p.norm() - 1)));
      worst_normal = std::max(worst_normal, (at.normal - p.normalized()).norm());
    }
    distance.push_back(worst);
    normal.push_back(worst_normal);
  }
  EXPECT_LT(distance[2], 0.02);
  for (const std::size_t k : {1U, 2U}) {
    EXPECT_LT(distance[k], 0.4 * distance[k - 1]);
    EXPECT_LT(normal[k], 0.8 * normal[k - 1]);
  }
}

TEST(TriangleSurface, RefusesWhatEnclosesNothing) {
  const auto message = [](const Mesh& mesh) -> std::string {
    try {
      TriangleSurface surface(mesh);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Input);
      return e.message();
    }
    return "accepted";
  };
  Mesh open = cube();
  open.elements.conservativeResize(3, open.num_elements() - 1);
  EXPECT_NE(message(open).find("the surface is open: the edge from vertex"), std::string::npos)
      << message(open);
  Mesh inverted = cube();
  inverted.elements.row(0).swap(inverted.elements.row(1));
  EXPECT_NE(message(inverted).find("counter-clockwise seen from outside"), std::string::npos)
      << message(inverted);
  EXPECT_NE(message(make_box({1, 1, 1}, {1, 1, 1}, ElementType::Tet4)).find("needs a tri3 surface"),
            std::string::npos);
  // A vertex on an edge that one neighbour does not split: closed by a triangle without area.
  Mesh flat = cube();
  const Eigen::Vector3i t = flat.elements.col(0);
  flat.vertices.conservativeResize(3, flat.num_vertices() + 1);
  const int added = static_cast<int>(flat.num_vertices()) - 1;
  flat.vertices.col(added) = 0.5 * (flat.vertices.col(t[0]) + flat.vertices.col(t[1]));
  flat.elements.conservativeResize(3, flat.num_elements() + 2);
  flat.elements.col(0) << added, t[1], t[2];
  flat.elements.col(flat.num_elements() - 2) << t[0], added, t[2];
  flat.elements.col(flat.num_elements() - 1) << t[0], t[1], added;
  EXPECT_NE(message(flat).find("has no area"), std::string::npos) << message(flat);
}

}  // namespace
}  // namespace resilin

// Triangles with a tree over them, and the signed distance to those that enclose a volume.
#pragma once

#include "core/geometry/bvh.hpp"
#include "core/geometry/closest.hpp"
#include "core/geometry/rigid_collider.hpp"
#include "core/mesh/mesh.hpp"

#include <array>
#include <optional>
#include <vector>

namespace resilin {

class RESILIN_API TriangleSet {
 public:
  using Triangle = std::array<int, 3>;  ///< vertex numbers

  struct Closest {
    Index triangle = -1;  ///< -1: there are none, or the point is not finite
    TrianglePoint point;
  };
  struct Hit {
    Index triangle = -1;
    double s = 0;  ///< the ray is at origin + s direction
  };

  TriangleSet() = default;
  /// vertices 3 x n [m].
  TriangleSet(Mat3X vertices, std::vector<Triangle> triangles);

  const Mat3X& vertices() const { return vertices_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  const Bvh& tree() const { return tree_; }
  Index size() const { return static_cast<Index>(triangles_.size()); }
  Box3 bounds() const;

  /// Closest to p; among equally near triangles the one with the smallest number.
  Closest closest(const Vec3& p) const;
  TrianglePoint closest_on(Index triangle, const Vec3& p) const;
  /// Where the ray from `origin` first meets a triangle, from either side, edges included.
  std::optional<Hit> first_hit(const Vec3& origin, const Vec3& direction) const;

 private:
  Vec3 corner(Index triangle, std::size_t k) const;

  Mat3X vertices_;
  std::vector<Triangle> triangles_;
  Bvh tree_;
};

/// Signed by the pseudonormal of the part that is closest: that of a face, the sum of both faces at an edge,
/// the sum of the faces weighted by their angles at a vertex (Baerentzen and Aanaes, Signed distance
/// computation using the angle weighted pseudonormal, 2005). Exact for a surface that does not intersect
/// itself, which is not checked. Features: faces in their order, then edges, then vertices.
class RESILIN_API TriangleSurface {
 public:
  TriangleSurface() = default;
  /// Throws Error(Input), naming an edge or a triangle, unless `mesh` is a closed_surface() of triangles that
  /// all have an area.
  explicit TriangleSurface(const Mesh& mesh);

  const TriangleSet& set() const { return set_; }
  Index num_edges() const { return static_cast<Index>(edges_.size()); }
  /// Signed distance, positive outside, with its derivatives; y finite. On an edge or a vertex itself, where
  /// there is no gradient, the pseudonormal stands for it and the Hessian is 0.
  LocalPoint at(const Vec3& y) const;

 private:
  struct Edge {
    int low, high;  ///< vertices
    Vec3 pseudonormal, direction;
  };
  void find_edges();
  void find_normals();
  Index edge_between(int a, int b) const;

  TriangleSet set_;
  std::vector<Edge> edges_;                     ///< sorted by their vertices
  std::vector<std::array<Index, 3>> edges_of_;  ///< of each triangle, from corner k to the next
  Mat3X face_normals_, vertex_normals_;
};

}  // namespace resilin

#include "core/geometry/triangle_surface.hpp"

#include "core/base/error.hpp"
#include "core/mesh/closed_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace resilin {

TriangleSet::TriangleSet(Mat3X vertices, std::vector<Triangle> triangles)
    : vertices_(std::move(vertices)), triangles_(std::move(triangles)) {
  std::vector<Box3> boxes(triangles_.size());
  for (Index t = 0; t < size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) boxes[static_cast<std::size_t>(t)].extend(corner(t, k));
  tree_ = Bvh(std::move(boxes));
}

Vec3 TriangleSet::corner(Index triangle, std::size_t k) const {
  return vertices_.col(triangles_[static_cast<std::size_t>(triangle)][k]);
}

Box3 TriangleSet::bounds() const {
  Box3 box;
  for (Index t = 0; t < size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) box.extend(corner(t, k));
  return box;
}

TrianglePoint TriangleSet::closest_on(Index triangle, const Vec3& p) const {
  return closest_on_triangle(p, corner(triangle, 0), corner(triangle, 1), corner(triangle, 2));
}

TriangleSet::Closest TriangleSet::closest(const Vec3& p) const {
  Closest c;
  c.triangle = tree_.closest(p, [&](Index t) { return closest_on(t, p).squared_distance; });
  if (c.triangle >= 0) c.point = closest_on(c.triangle, p);
  return c;
}

std::optional<TriangleSet::Hit> TriangleSet::first_hit(const Vec3& origin, const Vec3& direction) const {
  std::optional<Hit> first;
  tree_.for_each_on_ray(origin, direction, [&](Index t) {
    // Signed volumes of the ray with each edge: of one sign where it passes between them.
    const Vec3 a = corner(t, 0) - origin, b = corner(t, 1) - origin, c = corner(t, 2) - origin;
    const double wa = direction.dot(b.cross(c)), wb = direction.dot(c.cross(a)),
                 wc = direction.dot(a.cross(b));
    const double sum = wa + wb + wc;
    if (sum == 0 || (std::min({wa, wb, wc}) < 0 && std::max({wa, wb, wc}) > 0)) return;
    const double s = (wa * a + wb * b + wc * c).dot(direction) / (sum * direction.squaredNorm());
    if (s >= 0 && (!first || s < first->s || (s == first->s && t < first->triangle))) first = Hit{t, s};
  });
  return first;
}

TriangleSurface::TriangleSurface(const Mesh& mesh) {
  ClosedSurface closed = closed_surface(mesh, "a collider");
  set_ = TriangleSet(mesh.vertices, std::move(closed.triangles));
  find_edges();
  find_normals();
}

void TriangleSurface::find_edges() {
  for (const TriangleSet::Triangle& t : set_.triangles())
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges_.push_back({std::min(a, b), std::max(a, b), Vec3::Zero(), Vec3::Zero()});
    }
  const auto before = [](const Edge& a, const Edge& b) {
    return std::pair(a.low, a.high) < std::pair(b.low, b.high);
  };
  std::sort(edges_.begin(), edges_.end(), before);
  const auto same = [](const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; };
  edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
  for (const TriangleSet::Triangle& t : set_.triangles())
    edges_of_.push_back({edge_between(t[0], t[1]), edge_between(t[1], t[2]), edge_between(t[2], t[0])});
}

Index TriangleSurface::edge_between(int a, int b) const {
  const std::pair wanted(std::min(a, b), std::max(a, b));
  const auto found = std::lower_bound(
      edges_.begin(), edges_.end(), wanted,
      [](const Edge& e, const std::pair<int, int>& w) { return std::pair(e.low, e.high) < w; });
  return found - edges_.begin();
}

void TriangleSurface::find_normals() {
  const Mat3X& x = set_.vertices();
  face_normals_.resize(3, set_.size());
  vertex_normals_.setZero(3, x.cols());
  for (Index t = 0; t < set_.size(); ++t) {
    const TriangleSet::Triangle& c = set_.triangles()[static_cast<std::size_t>(t)];
    const Vec3 twice_area = (x.col(c[1]) - x.col(c[0])).cross(x.col(c[2]) - x.col(c[0]));
    double longest2 = 0;
    for (std::size_t k = 0; k < 3; ++k)
      longest2 = std::max(longest2, (x.col(c[(k + 1) % 3]) - x.col(c[k])).squaredNorm());
    if (!(twice_area.norm() > 1e-12 * longest2))
      throw Error(Errc::Input,
                  fmt::format("the triangle of the vertices {}, {} and {} has no area", c[0], c[1], c[2]));
    face_normals_.col(t) = twice_area.normalized();
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 next = x.col(c[(k + 1) % 3]) - x.col(c[k]), last = x.col(c[(k + 2) % 3]) - x.col(c[k]);
      vertex_normals_.col(c[k]) += std::atan2(next.cross(last).norm(), next.dot(last)) * face_normals_.col(t);
      edges_[static_cast<std::size_t>(edges_of_[static_cast<std::size_t>(t)][k])].pseudonormal +=
          face_normals_.col(t);
    }
  }
  for (Edge& e : edges_) {
    e.pseudonormal.stableNormalize();
    e.direction = (x.col(e.high) - x.col(e.low)).normalized();
  }
  for (Index v = 0; v < x.cols(); ++v) vertex_normals_.col(v).stableNormalize();
}

LocalPoint TriangleSurface::at(const Vec3& y) const {
  const TriangleSet::Closest c = set_.closest(y);
  const auto t = static_cast<std::size_t>(c.triangle);
  const Vec3 arm = y - c.point.point;
  const auto region = static_cast<std::size_t>(c.point.region);
  if (c.point.region == TriangleRegion::Face) {
    const Vec3 n = face_normals_.col(c.triangle);
    return {arm.dot(n), n, Mat3::Zero(), c.triangle, true};
  }
  LocalPoint at;
  Vec3 pseudonormal;
  Mat3 around = Mat3::Identity();  // the directions in which the closest point stays
  if (region >= 3) {
    const Index edge = edges_of_[t][region - 3];
    const Edge& e = edges_[static_cast<std::size_t>(edge)];
    pseudonormal = e.pseudonormal;
    around -= e.direction * e.direction.transpose();
    at.feature = set_.size() + edge;
  } else {
    const int vertex = set_.triangles()[t][region];
    pseudonormal = vertex_normals_.col(vertex);
    at.feature = set_.size() + num_edges() + vertex;
  }
  const double length = arm.norm();
  if (length == 0) {
    at.normal = pseudonormal;
    at.regular = false;
    return at;
  }
  const double side = arm.dot(pseudonormal) < 0 ? -1 : 1;
  at.distance = side * length;
  at.normal = arm / at.distance;
  at.hessian = (around - at.normal * at.normal.transpose()) / at.distance;
  return at;
}

}  // namespace resilin

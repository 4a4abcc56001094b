#include "core/mesh/quality.hpp"

#include "core/mesh/hex_jacobian.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace resilin {
namespace {

constexpr double kZeroMeasure = 1e-12;   ///< of the longest edge to the power of the dimension
constexpr double kSliver = 0.01;         ///< of the shape measure, which is 1 for a regular element
constexpr double kSameVertex = 1e-9;     ///< of the extent
constexpr double kLargeExtent = 1000.0;  ///< [m]
constexpr double kSmallExtent = 1e-5;    ///< [m]

/// How many items have a problem, and which is the first.
struct Tally {
  Index count = 0;
  Index first = -1;
  void add(Index i) {
    if (count++ == 0) first = i;
  }
};

class Findings {
 public:
  void error(const char* name, const Tally& t, const std::string& message) { add(name, true, t, message); }
  void warning(const char* name, const Tally& t, const std::string& message) { add(name, false, t, message); }
  std::vector<MeshFinding> take() { return std::move(list_); }

 private:
  void add(const char* name, bool is_error, const Tally& t, const std::string& message) {
    if (t.count > 0) list_.push_back({name, is_error, t.count, t.first, message});
  }
  std::vector<MeshFinding> list_;
};

std::vector<std::pair<int, int>> edges_of(ElementType type) {
  switch (type) {
    case ElementType::Segment2:
      return {{0, 1}};
    case ElementType::Tri3:
      return {{0, 1}, {1, 2}, {2, 0}};
    case ElementType::Tet4:
      return {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    case ElementType::Hex8:
      break;
  }
  return {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
}

/// Lengths of the edges of an element: the longest, and the root of the mean square.
struct EdgeLengths {
  double longest = 0;
  double mean = 0;
};
EdgeLengths edge_lengths(const Mesh& mesh, Index e, const std::vector<std::pair<int, int>>& edges) {
  EdgeLengths lengths;
  double sum = 0;
  for (const auto& [a, b] : edges) {
    const double length =
        (mesh.vertices.col(mesh.elements(a, e)) - mesh.vertices.col(mesh.elements(b, e))).norm();
    lengths.longest = std::max(lengths.longest, length);
    sum += length * length;
  }
  lengths.mean = std::sqrt(sum / static_cast<double>(edges.size()));
  return lengths;
}

/// Shape of an element: 1 for a regular one, towards 0 for a flat one. Hexahedra by their angles alone, since
/// long bricks are meant to be long.
double shape_of(const Mesh& mesh, Index e, double measure, double mean_edge) {
  switch (mesh.type) {
    case ElementType::Segment2:
      return 1;
    case ElementType::Tri3:
      return 4 / std::sqrt(3.0) * measure / (mean_edge * mean_edge);
    case ElementType::Tet4:
      return 6 * std::sqrt(2.0) * measure / (mean_edge * mean_edge * mean_edge);
    case ElementType::Hex8:
      break;
  }
  double shape = 1;
  for (const Mat3& j : mesh_detail::hex_jacobians(mesh, e))
    shape = std::min(shape, j.determinant() / (j.col(0).norm() * j.col(1).norm() * j.col(2).norm()));
  return shape;
}

bool has_negative_jacobian(const Mesh& mesh, Index e) {
  for (const Mat3& j : mesh_detail::hex_jacobians(mesh, e))
    if (j.determinant() <= 0) return true;
  return false;
}

struct ElementTallies {
  Tally range, duplicate_node, inverted, zero, sliver;
};

/// Nodes in range and distinct, with finite coordinates: only then is the shape worth a look.
bool nodes_are_sound(const Mesh& mesh, Index e, ElementTallies& tallies) {
  const Index n = mesh.elements.rows();
  bool in_range = true, finite = true, distinct = true;
  for (Index i = 0; i < n; ++i) {
    const int node = mesh.elements(i, e);
    in_range = in_range && node >= 0 && node < mesh.num_vertices();
    for (Index j = 0; j < i; ++j) distinct = distinct && node != mesh.elements(j, e);
  }
  if (!in_range) tallies.range.add(e);
  if (!distinct) tallies.duplicate_node.add(e);
  if (!in_range) return false;
  for (Index i = 0; i < n; ++i) finite = finite && mesh.vertices.col(mesh.elements(i, e)).allFinite();
  return distinct && finite;
}

ElementTallies check_elements(const Mesh& mesh) {
  ElementTallies tallies;
  const auto edges = edges_of(mesh.type);
  const int dimension = mesh.type == ElementType::Segment2 ? 1 : is_volume(mesh.type) ? 3 : 2;
  Mesh single;  // one element at a time: measures of broken elements must not be asked for
  single.type = mesh.type;
  for (Index e = 0; e < mesh.num_elements(); ++e) {
    if (!nodes_are_sound(mesh, e, tallies)) continue;
    single.vertices.resize(3, mesh.elements.rows());
    single.elements.resize(mesh.elements.rows(), 1);
    for (Index i = 0; i < mesh.elements.rows(); ++i) {
      single.vertices.col(i) = mesh.vertices.col(mesh.elements(i, e));
      single.elements(i, 0) = static_cast<int>(i);
    }
    const double measure = element_measures(single)[0];
    const EdgeLengths lengths = edge_lengths(single, 0, edges);
    if (std::abs(measure) <= kZeroMeasure * std::pow(lengths.longest, dimension)) {
      tallies.zero.add(e);
    } else if (measure < 0 || (mesh.type == ElementType::Hex8 && has_negative_jacobian(single, 0))) {
      tallies.inverted.add(e);
    } else if (shape_of(single, 0, measure, lengths.mean) < kSliver) {
      tallies.sliver.add(e);
    }
  }
  return tallies;
}

Tally unused_vertices(const Mesh& mesh) {
  std::vector<char> used(static_cast<std::size_t>(mesh.num_vertices()), 0);
  for (const int node : mesh.elements.reshaped())
    if (node >= 0 && node < mesh.num_vertices()) used[static_cast<std::size_t>(node)] = 1;
  Tally tally;
  for (Index v = 0; v < mesh.num_vertices(); ++v)
    if (used[static_cast<std::size_t>(v)] == 0) tally.add(v);
  return tally;
}

/// Vertices that repeat an earlier one, compared after rounding to multiples of `tolerance` about `origin`.
Tally duplicate_vertices(const Mesh& mesh, const Vec3& origin, double tolerance) {
  std::vector<std::pair<std::array<double, 3>, Index>> keys;
  for (Index v = 0; v < mesh.num_vertices(); ++v) {
    if (!mesh.vertices.col(v).allFinite()) continue;
    std::array<double, 3> key{};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Index>(a);
      const double from_origin = mesh.vertices(axis, v) - origin[axis];
      key[a] = tolerance > 0 ? std::round(from_origin / tolerance) : from_origin;
    }
    keys.emplace_back(key, v);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Index> repeated;
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i].first == keys[i - 1].first) repeated.push_back(keys[i].second);
  Tally tally;
  std::sort(repeated.begin(), repeated.end());
  for (const Index v : repeated) tally.add(v);
  return tally;
}

/// Of a triangle surface: edges of more than two triangles, and edges that both of their triangles run along
/// in the same direction, so that they have opposite sides outside; each at its first triangle.
struct EdgeTallies {
  Tally non_manifold, opposite;
  std::pair<int, int> first_edge{-1, -1};
};
EdgeTallies check_edges(const Mesh& mesh) {
  std::map<std::pair<int, int>, std::vector<std::pair<Index, bool>>> uses;  // triangle, runs upwards
  for (Index e = 0; e < mesh.num_elements(); ++e)
    for (Index c = 0; c < 3; ++c) {
      const int a = mesh.elements(c, e), b = mesh.elements((c + 1) % 3, e);
      if (a != b) uses[std::minmax(a, b)].emplace_back(e, a < b);
    }
  EdgeTallies tallies;
  for (const auto& [edge, triangles] : uses) {
    if (triangles.size() > 2) {
      if (tallies.non_manifold.count == 0) tallies.first_edge = edge;
      tallies.non_manifold.add(triangles.front().first);
    } else if (triangles.size() == 2 && triangles[0].second == triangles[1].second) {
      tallies.opposite.add(triangles.front().first);
    }
  }
  return tallies;
}

void report_edges(const Mesh& mesh, Findings& findings) {
  if (mesh.type != ElementType::Tri3) return;
  const EdgeTallies t = check_edges(mesh);
  findings.warning(
      "non_manifold_edge", t.non_manifold,
      fmt::format("{} edges belong to more than two triangles, the first is that of vertices {} and {} (in "
                  "triangle {})",
                  t.non_manifold.count, t.first_edge.first, t.first_edge.second, t.non_manifold.first));
  findings.warning(
      "opposite_triangles", t.opposite,
      fmt::format("{} edges join triangles that have opposite sides outside, the first is one of "
                  "triangle {}",
                  t.opposite.count, t.opposite.first));
}

void report_elements(const Mesh& mesh, const ElementTallies& t, Findings& findings) {
  findings.error("index_out_of_range", t.range,
                 fmt::format("{} elements refer to vertices outside 0..{}, the first is element {}",
                             t.range.count, mesh.num_vertices() - 1, t.range.first));
  findings.error("duplicate_node_in_element", t.duplicate_node,
                 fmt::format("{} elements name a vertex twice, the first is element {}",
                             t.duplicate_node.count, t.duplicate_node.first));
  findings.error(
      "inverted_element", t.inverted,
      fmt::format("{} of {} elements are inverted (negative volume, or Jacobian at a quadrature point), the "
                  "first is element {}",
                  t.inverted.count, mesh.num_elements(), t.inverted.first));
  findings.error("zero_volume_element", t.zero,
                 fmt::format("{} of {} elements have no volume, area or length, the first is element {}",
                             t.zero.count, mesh.num_elements(), t.zero.first));
  findings.warning(
      "sliver_element", t.sliver,
      fmt::format("{} of {} elements are nearly flat (shape below {}, regular is 1), the first is element "
                  "{}",
                  t.sliver.count, mesh.num_elements(), kSliver, t.sliver.first));
}

void report_vertices(const Mesh& mesh, Findings& findings) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  Tally non_finite;
  for (Index v = 0; v < mesh.num_vertices(); ++v) {
    if (!mesh.vertices.col(v).allFinite()) {
      non_finite.add(v);
      continue;
    }
    low = low.cwiseMin(mesh.vertices.col(v));
    high = high.cwiseMax(mesh.vertices.col(v));
  }
  findings.error("non_finite_vertex", non_finite,
                 fmt::format("{} vertices have coordinates that are not finite, the first is vertex {}",
                             non_finite.count, non_finite.first));
  const Tally unused = unused_vertices(mesh);
  findings.warning("unused_vertex", unused,
                   fmt::format("{} of {} vertices belong to no element, the first is vertex {}", unused.count,
                               mesh.num_vertices(), unused.first));
  if (non_finite.count == mesh.num_vertices()) return;
  const double extent = (high - low).maxCoeff();
  const Tally duplicate = duplicate_vertices(mesh, low, kSameVertex * extent);
  findings.warning("duplicate_vertex", duplicate,
                   fmt::format("{} vertices repeat the coordinates of another one, the first is vertex {}",
                               duplicate.count, duplicate.first));
  Tally scale;
  if (extent > kLargeExtent || extent < kSmallExtent) scale.count = 1;
  findings.warning(
      "suspicious_scale", scale,
      fmt::format("the mesh is {} m wide; expected {} m to {} m (are its coordinates in metres?)", extent,
                  kSmallExtent, kLargeExtent));
}

}  // namespace

std::vector<MeshFinding> check_mesh(const Mesh& mesh) {
  Findings findings;
  Tally none;
  if (mesh.num_elements() == 0) none.count = 1;
  findings.error("no_elements", none, "the mesh has no elements");
  report_elements(mesh, check_elements(mesh), findings);
  report_vertices(mesh, findings);
  report_edges(mesh, findings);
  return findings.take();
}

}  // namespace resilin

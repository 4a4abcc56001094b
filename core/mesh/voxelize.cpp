#include "core/base/error.hpp"
#include "core/mesh/grid.hpp"
#include "core/mesh/weld.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace resilin {
namespace {

using Triangle = std::array<int, 3>;

std::vector<Triangle> welded_triangles(const Mesh& surface) {
  if (surface.type != ElementType::Tri3)
    throw Error(Errc::Input, fmt::format("voxelize needs a tri3 surface, not {}", name_of(surface.type)));
  if (surface.num_elements() == 0) throw Error(Errc::Input, "voxelize needs a surface with triangles");
  if (!surface.vertices.allFinite())
    throw Error(Errc::Input, "voxelize needs a surface whose coordinates are all finite");
  if (surface.elements.minCoeff() < 0 || surface.elements.maxCoeff() >= surface.num_vertices())
    throw Error(Errc::Input,
                fmt::format("a triangle refers to a vertex outside 0..{}", surface.num_vertices() - 1));
  const std::vector<int> first = mesh_detail::first_equal_columns(surface.vertices);
  std::vector<Triangle> triangles;
  triangles.reserve(static_cast<std::size_t>(surface.num_elements()));
  for (Index t = 0; t < surface.num_elements(); ++t) {
    Triangle nodes{};
    for (std::size_t c = 0; c < 3; ++c)
      nodes[c] = first[static_cast<std::size_t>(surface.elements(static_cast<Index>(c), t))];
    // A triangle with a repeated node is a line: its edges cancel, and no ray crosses it.
    if (nodes[0] != nodes[1] && nodes[1] != nodes[2] && nodes[2] != nodes[0]) triangles.push_back(nodes);
  }
  return triangles;
}

/// Every edge must be run through as often in one direction as in the other.
void require_closed(const std::vector<Triangle>& triangles) {
  std::vector<std::tuple<int, int, int>> edges;  // lower node, higher node, direction
  edges.reserve(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = t[c], b = t[(c + 1) % 3];
      edges.emplace_back(std::min(a, b), std::max(a, b), a < b ? 1 : -1);
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    const auto [a, b, first_direction] = edges[begin];
    int balance = 0;
    for (end = begin; end < edges.size() && std::get<0>(edges[end]) == a && std::get<1>(edges[end]) == b;
         ++end)
      balance += std::get<2>(edges[end]);
    if (balance == 0) continue;
    if (end - begin == 1)
      throw Error(Errc::Input,
                  fmt::format("the surface is open: the edge from vertex {} to vertex {} belongs to "
                              "one triangle only",
                              a, b));
    throw Error(Errc::Input, fmt::format("the {} triangles at the edge from vertex {} to vertex {} are not "
                                         "consistently oriented",
                                         end - begin, a, b));
  }
}

double signed_volume(const Mat3X& x, const std::vector<Triangle>& triangles, const Vec3& origin) {
  double volume = 0;
  for (const Triangle& t : triangles)
    volume += (x.col(t[0]) - origin).cross(x.col(t[1]) - origin).dot(x.col(t[2]) - origin) / 6.0;
  return volume;
}

/// Whether p (x and y only) lies left of the line from a to b. The two triangles at an edge must never both
/// claim a ray, or both refuse it: the same numbers are computed for both, from the lower node to the higher,
/// and by the same instructions (inlined copies may be contracted to fused multiply-adds in different ways).
[[gnu::noinline]] bool is_left(const Mat3X& x, int a, int b, double px, double py) {
  const int low = std::min(a, b), high = std::max(a, b);
  const double area =
      (x(0, high) - x(0, low)) * (py - x(1, low)) - (x(1, high) - x(1, low)) * (px - x(0, low));
  return (area > 0) == (low == a);
}

struct Crossing {
  double z;
  int sign;  ///< +1 where the ray up leaves the body
};

class ColumnCrossings {
 public:
  ColumnCrossings(const Mat3X& x, const Vec3& lower, double cell, const Cells& cells)
      : x_(x),
        lower_(lower),
        cell_(cell),
        cells_(cells),
        columns_(static_cast<std::size_t>(cells.x() * cells.y())) {}

  void add(const Triangle& t) {
    const auto range = [&](Index axis) {
      const auto [low, high] = std::minmax({x_(axis, t[0]), x_(axis, t[1]), x_(axis, t[2])});
      const double last = static_cast<double>(cells_[axis] - 1);
      // One column more on each side than the bounds: the tests decide.
      return std::make_pair(static_cast<Index>(std::clamp((low - lower_[axis]) / cell_ - 1.5, 0.0, last)),
                            static_cast<Index>(std::clamp((high - lower_[axis]) / cell_ + 0.5, 0.0, last)));
    };
    const auto [i0, i1] = range(0);
    const auto [j0, j1] = range(1);
    for (Index i = i0; i <= i1; ++i)
      for (Index j = j0; j <= j1; ++j) add(t, i, j);
  }

  /// Marks the cells of a column whose centre has a positive winding number.
  void fill(Index i, Index j, char* occupied) {
    std::vector<Crossing>& crossings = columns_[static_cast<std::size_t>(i * cells_.y() + j)];
    std::sort(crossings.begin(), crossings.end(),
              [](const Crossing& a, const Crossing& b) { return a.z != b.z ? a.z > b.z : a.sign < b.sign; });
    int winding = 0;
    std::size_t next = 0;
    for (Index k = cells_.z() - 1; k >= 0; --k) {
      const double centre = lower_.z() + cell_ * (static_cast<double>(k) + 0.5);
      for (; next < crossings.size() && crossings[next].z > centre; ++next) winding += crossings[next].sign;
      occupied[k] = winding > 0 ? 1 : 0;
    }
  }

 private:
  void add(const Triangle& t, Index i, Index j) {
    // Shifted off the centre by irrational parts of a cell, since edges and vertices often lie on centre
    // lines.
    const double px = lower_.x() + cell_ * (static_cast<double>(i) + 0.5 + 1e-7 * std::sqrt(2.0));
    const double py = lower_.y() + cell_ * (static_cast<double>(j) + 0.5 + 1e-7 * std::sqrt(3.0));
    const bool left = is_left(x_, t[0], t[1], px, py);
    if (left != is_left(x_, t[1], t[2], px, py) || left != is_left(x_, t[2], t[0], px, py)) return;
    const Vec3 a = x_.col(t[0]);
    const Vec3 normal = (x_.col(t[1]) - a).cross(x_.col(t[2]) - a);
    // A triangle seen edge-on counts too, or the crossings would not balance; it is cut at its first node.
    const double z = normal.z() == 0
                         ? a.z()
                         : a.z() - (normal.x() * (px - a.x()) + normal.y() * (py - a.y())) / normal.z();
    const double low = std::min({a.z(), x_(2, t[1]), x_(2, t[2])});
    const double high = std::max({a.z(), x_(2, t[1]), x_(2, t[2])});
    columns_[static_cast<std::size_t>(i * cells_.y() + j)].push_back(
        {std::min(std::max(z, low), high), left ? 1 : -1});
  }

  const Mat3X& x_;
  Vec3 lower_;
  double cell_;
  Cells cells_;
  std::vector<std::vector<Crossing>> columns_;
};

}  // namespace

Mesh voxelize(const Mesh& surface, double cell, ElementType type) {
  const std::vector<Triangle> triangles = welded_triangles(surface);
  require_closed(triangles);
  const Vec3 lower = surface.vertices.rowwise().minCoeff(), upper = surface.vertices.rowwise().maxCoeff();
  const double volume = signed_volume(surface.vertices, triangles, 0.5 * (lower + upper));
  if (!(volume > 0))
    throw Error(Errc::Input,
                fmt::format("the surface encloses {} m^3; expected a positive volume, with triangles "
                            "counter-clockwise seen from outside",
                            volume));
  const Cells cells = mesh_detail::covering_cells(lower, upper, cell);
  ColumnCrossings columns(surface.vertices, lower, cell, cells);
  for (const Triangle& t : triangles) columns.add(t);
  std::vector<char> occupied(static_cast<std::size_t>(cells.prod()));
  for (Index i = 0; i < cells.x(); ++i)
    for (Index j = 0; j < cells.y(); ++j)
      columns.fill(i, j, &occupied[static_cast<std::size_t>((i * cells.y() + j) * cells.z())]);
  return mesh_detail::occupied_mesh(lower, cell, cells, occupied, type);
}

}  // namespace resilin

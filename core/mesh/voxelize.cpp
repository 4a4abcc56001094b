#include "core/mesh/closed_surface.hpp"
#include "core/mesh/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace resilin {
namespace {

using Triangle = std::array<int, 3>;

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
  const std::vector<Triangle> triangles = closed_surface(surface, "voxelize").triangles;
  const Vec3 lower = surface.vertices.rowwise().minCoeff(), upper = surface.vertices.rowwise().maxCoeff();
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

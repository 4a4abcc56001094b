#include "core/mesh/generators.hpp"

#include "core/base/error.hpp"
#include "core/mesh/grid.hpp"

#include <fmt/format.h>

#include <cmath>

namespace resilin {
namespace {

using Mirror = Eigen::Matrix<bool, 3, 1>;

/// Lattice coordinate in [0, n] as [-1, 1], with the ends exact.
double centred(double lattice, Index n) {
  return (2 * lattice - static_cast<double>(n)) / static_cast<double>(n);
}

}  // namespace

Mesh make_box(const Vec3& size, const Cells& cells, ElementType type, const Vec3& origin) {
  for (Index a = 0; a < 3; ++a) mesh_detail::require_positive(size[a], fmt::format("size[{}] of the box", a));
  Mesh mesh = mesh_detail::lattice_mesh(cells, type, Mirror::Constant(false));
  const Vec3 count = cells.cast<double>();
  for (Index v = 0; v < mesh.num_vertices(); ++v)
    mesh.vertices.col(v) = origin + mesh.vertices.col(v).cwiseQuotient(count).cwiseProduct(size);
  return mesh;
}

Mesh make_sphere(double radius, Index cells, ElementType type) {
  mesh_detail::require_positive(radius, "radius of the sphere");
  Mesh mesh = mesh_detail::lattice_mesh(Cells::Constant(cells), type, Mirror::Constant(true));
  for (Index v = 0; v < mesh.num_vertices(); ++v) {
    const Vec3 p = mesh.vertices.col(v).unaryExpr([&](double t) { return centred(t, cells); });
    const Vec3 q = p.cwiseAbs2();
    // Takes cubes of equal max norm to concentric surfaces; |image| = 1 where any |p_a| = 1.
    mesh.vertices.col(v) = radius * Vec3(p.x() * std::sqrt(1 - q.y() / 2 - q.z() / 2 + q.y() * q.z() / 3),
                                         p.y() * std::sqrt(1 - q.z() / 2 - q.x() / 2 + q.z() * q.x() / 3),
                                         p.z() * std::sqrt(1 - q.x() / 2 - q.y() / 2 + q.x() * q.y() / 3));
  }
  return mesh;
}

Mesh make_cylinder(double radius, double height, Index cells_across, Index cells_along, ElementType type) {
  mesh_detail::require_positive(radius, "radius of the cylinder");
  mesh_detail::require_positive(height, "height of the cylinder");
  Mesh mesh = mesh_detail::lattice_mesh({cells_across, cells_across, cells_along}, type, {true, true, false});
  for (Index v = 0; v < mesh.num_vertices(); ++v) {
    const double x = centred(mesh.vertices(0, v), cells_across),
                 y = centred(mesh.vertices(1, v), cells_across);
    mesh.vertices.col(v) << radius * x * std::sqrt(1 - y * y / 2), radius * y * std::sqrt(1 - x * x / 2),
        height * (mesh.vertices(2, v) / static_cast<double>(cells_along));
  }
  return mesh;
}

Mesh make_voxels(const Vec3& lower, const Vec3& upper, double cell,
                 FunctionRef<double(const Vec3&)> signed_distance, ElementType type) {
  const Cells cells = mesh_detail::covering_cells(lower, upper, cell);
  std::vector<char> occupied(static_cast<std::size_t>(cells.prod()), 0);
  std::size_t next = 0;
  for (Index i = 0; i < cells.x(); ++i)
    for (Index j = 0; j < cells.y(); ++j)
      for (Index k = 0; k < cells.z(); ++k) {
        const Vec3 centre = lower + cell * (Cells(i, j, k).cast<double>().array() + 0.5).matrix();
        const double distance = signed_distance(centre);
        if (std::isnan(distance))
          throw Error(Errc::Input, fmt::format("the signed distance at ({}, {}, {}) m is not a number",
                                               centre.x(), centre.y(), centre.z()));
        occupied[next++] = distance <= 0 ? 1 : 0;
      }
  return mesh_detail::occupied_mesh(lower, cell, cells, occupied, type);
}

}  // namespace resilin

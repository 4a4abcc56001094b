#include "core/mesh/grid.hpp"

#include "core/base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace resilin::mesh_detail {
namespace {

/// Corners of a cell by bits: x + 2 y + 4 z.
using Corners = std::array<int, 8>;
constexpr std::array<std::size_t, 8> kVtkOrder{0, 1, 3, 2, 4, 5, 7, 6};
constexpr std::array<std::array<unsigned, 3>, 6> kPermutations{
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}};  // the first three are even

Index elements_per_cell(ElementType type) {
  if (type == ElementType::Hex8) return 1;
  if (type == ElementType::Tet4) return 6;
  throw Error(Errc::Input, fmt::format("expected element type hex8 or tet4, not {}", name_of(type)));
}

/// Writes the elements of one cell from column `next` on. Kuhn: one tetrahedron a path along the edges from
/// one corner (000, or its mirror image by the bits of `mirror`) to the opposite one.
void add_cell(const Corners& corners, unsigned mirror, ElementType type, Mesh::Elements& out, Index& next) {
  if (type == ElementType::Hex8) {
    for (Index n = 0; n < 8; ++n) out(n, next) = corners[kVtkOrder[static_cast<std::size_t>(n)]];
    ++next;
    return;
  }
  for (std::size_t p = 0; p < 6; ++p) {
    const unsigned first = 1U << kPermutations[p][0];
    const unsigned second = first | 1U << kPermutations[p][1];
    const bool reversed = (p >= 3) != (std::popcount(mirror) % 2 == 1);
    out(0, next) = corners[mirror];
    out(1, next) = corners[(reversed ? second : first) ^ mirror];
    out(2, next) = corners[(reversed ? first : second) ^ mirror];
    out(3, next) = corners[7U ^ mirror];
    ++next;
  }
}

Index vertex_id(const Cells& cells, Index ix, Index iy, Index iz) {
  return (ix * (cells.y() + 1) + iy) * (cells.z() + 1) + iz;
}

/// Lattice vertices at the corners of a cell.
std::array<Index, 8> corner_ids(const Cells& cells, Index i, Index j, Index k) {
  std::array<Index, 8> ids{};
  for (Index b = 0; b < 8; ++b)
    ids[static_cast<std::size_t>(b)] = vertex_id(cells, i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
  return ids;
}

void require_size(const Cells& cells) {
  const double vertices = (cells.cast<double>().array() + 1).prod();
  if (vertices > std::numeric_limits<int>::max() / 8.0)
    throw Error(Errc::Input,
                fmt::format("a grid of {} x {} x {} cells is too large", cells.x(), cells.y(), cells.z()));
}

template <class Body>
void for_each_cell(const Cells& cells, Body body) {
  for (Index i = 0; i < cells.x(); ++i)
    for (Index j = 0; j < cells.y(); ++j)
      for (Index k = 0; k < cells.z(); ++k) body(i, j, k);
}

}  // namespace

void require_positive(double value, const std::string& what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(Errc::Input, fmt::format("{} is {} m; expected a positive number", what, value));
}

Mesh lattice_mesh(const Cells& cells, ElementType type, const Eigen::Matrix<bool, 3, 1>& mirror) {
  const Index per_cell = elements_per_cell(type);
  if ((cells.array() < 1).any())
    throw Error(Errc::Input, fmt::format("{} x {} x {} cells; expected at least one along each axis",
                                         cells.x(), cells.y(), cells.z()));
  require_size(cells);
  Mesh mesh;
  mesh.type = type;
  mesh.vertices.resize(3, (cells.array() + 1).prod());
  for_each_cell(cells + Cells::Ones(), [&](Index ix, Index iy, Index iz) {
    mesh.vertices.col(vertex_id(cells, ix, iy, iz)) = Cells(ix, iy, iz).cast<double>();
  });
  mesh.elements.resize(nodes_per_element(type), cells.prod() * per_cell);
  Index next = 0;
  for_each_cell(cells, [&](Index i, Index j, Index k) {
    const std::array<Index, 8> ids = corner_ids(cells, i, j, k);
    Corners corners{};
    for (std::size_t b = 0; b < 8; ++b) corners[b] = static_cast<int>(ids[b]);
    const Cells cell(i, j, k);
    unsigned bits = 0;
    for (Index a = 0; a < 3; ++a)
      if (mirror[a] && 2 * cell[a] + 1 < cells[a]) bits |= 1U << a;
    add_cell(corners, bits, type, mesh.elements, next);
  });
  return mesh;
}

Mesh occupied_mesh(const Vec3& lower, double cell, const Cells& cells, const std::vector<char>& occupied,
                   ElementType type) {
  const Index per_cell = elements_per_cell(type);
  const auto is_occupied = [&](Index i, Index j, Index k) {
    return occupied[static_cast<std::size_t>((i * cells.y() + j) * cells.z() + k)] != 0;
  };
  std::vector<int> number(static_cast<std::size_t>((cells.array() + 1).prod()), -1);
  Index count = 0;
  for_each_cell(cells, [&](Index i, Index j, Index k) {
    if (!is_occupied(i, j, k)) return;
    ++count;
    for (const Index id : corner_ids(cells, i, j, k)) number[static_cast<std::size_t>(id)] = 0;
  });
  if (count == 0)
    throw Error(Errc::Input,
                fmt::format("no cell of edge {} m has its centre inside the shape, for which there "
                            "are {} x {} x {}; expected smaller cells",
                            cell, cells.x(), cells.y(), cells.z()));
  int used = 0;
  for (int& n : number)
    if (n == 0) n = used++;

  Mesh mesh;
  mesh.type = type;
  mesh.vertices.resize(3, used);
  for_each_cell(cells + Cells::Ones(), [&](Index ix, Index iy, Index iz) {
    const int n = number[static_cast<std::size_t>(vertex_id(cells, ix, iy, iz))];
    if (n >= 0) mesh.vertices.col(n) = lower + cell * Cells(ix, iy, iz).cast<double>();
  });
  mesh.elements.resize(nodes_per_element(type), count * per_cell);
  Index next = 0;
  for_each_cell(cells, [&](Index i, Index j, Index k) {
    if (!is_occupied(i, j, k)) return;
    const std::array<Index, 8> ids = corner_ids(cells, i, j, k);
    Corners corners{};
    for (std::size_t b = 0; b < 8; ++b) corners[b] = number[static_cast<std::size_t>(ids[b])];
    add_cell(corners, 0, type, mesh.elements, next);
  });
  return mesh;
}

Cells covering_cells(const Vec3& lower, const Vec3& upper, double cell) {
  require_positive(cell, "edge of a cell");
  Eigen::Array3d counts;
  for (Index a = 0; a < 3; ++a) {
    require_positive(upper[a] - lower[a], "extent of the box");
    // Rounding must not add a layer to a box that is a whole number of cells wide.
    counts[a] = std::max(1.0, std::ceil((upper[a] - lower[a]) / cell - 1e-6));
  }
  if ((counts + 1).prod() > std::numeric_limits<int>::max() / 8.0)
    throw Error(Errc::Input, fmt::format("cells of {} m make a grid of {} x {} x {}, which is too large",
                                         cell, counts[0], counts[1], counts[2]));
  return counts.cast<Index>();
}

}  // namespace resilin::mesh_detail

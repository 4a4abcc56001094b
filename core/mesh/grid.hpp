// Cells of structured grids turned into elements; shared by the generators.
#pragma once

#include "core/mesh/generators.hpp"

#include <string>
#include <vector>

namespace resilin::mesh_detail {

/// Throws Error(Input) unless `value` [m] is finite and positive.
void require_positive(double value, const std::string& what);

/// A whole grid with vertices at their lattice coordinates (ix, iy, iz). Along an axis with mirror(axis) the
/// diagonals of tetrahedra run from the middle of the grid outwards on both sides, which keeps elements
/// positive where a map flattens the grid's edges; conforming either way.
Mesh lattice_mesh(const Cells& cells, ElementType type, const Eigen::Matrix<bool, 3, 1>& mirror);

/// The cells (i * ny + j) * nz + k with occupied != 0; vertices that no cell uses are dropped. Throws
/// Error(Input) if there is none.
Mesh occupied_mesh(const Vec3& lower, double cell, const Cells& cells, const std::vector<char>& occupied,
                   ElementType type);

/// Number of cells of edge `cell` that cover lower..upper along each axis, at least 1; throws Error(Input)
/// where the box or the edge is not positive or the grid would be too large to hold.
Cells covering_cells(const Vec3& lower, const Vec3& upper, double cell);

}  // namespace resilin::mesh_detail

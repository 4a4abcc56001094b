// Mesh generators. Structured vertices are numbered with ix slowest and iz fastest; elements likewise.
#pragma once

#include "core/base/parallel.hpp"
#include "core/mesh/mesh.hpp"

namespace resilin {

using Cells = Eigen::Matrix<Index, 3, 1>;

/// Box [origin, origin + size] of cells(0) x cells(1) x cells(2) hexahedra, or of six tetrahedra per cell
/// (Kuhn subdivision: conforming). Throws Error(Input) for a size or a number of cells that is not positive.
RESILIN_API Mesh make_box(const Vec3& size, const Cells& cells, ElementType type,
                          const Vec3& origin = Vec3::Zero());

/// Ball about the origin: a box grid of `cells` per axis mapped smoothly onto the ball, so that the boundary
/// vertices lie on the sphere. All elements have positive volume.
RESILIN_API Mesh make_sphere(double radius, Index cells, ElementType type);

/// Cylinder about the z axis from z = 0 to z = height: a square grid mapped onto the disk, extruded.
RESILIN_API Mesh make_cylinder(double radius, double height, Index cells_across, Index cells_along,
                               ElementType type);

/// All cells of edge `cell` of the grid with corner `lower` whose centre lies inside (inside(centre) <= 0, a
/// signed distance); vertices not used by any cell are dropped. Throws Error(Input) if no cell is inside.
RESILIN_API Mesh make_voxels(const Vec3& lower, const Vec3& upper, double cell,
                             FunctionRef<double(const Vec3&)> signed_distance, ElementType type);

/// Voxelises a closed triangle surface with cells of edge `cell`; the grid's corner is that of the bounding
/// box. A cell is inside where the winding number about its centre is positive, counted as signed crossings
/// along a ray up from the centre (exact for closed surfaces; overlapping parts are united). Vertices with
/// the same coordinates count as one. Throws Error(Input) for an open surface (naming an open edge),
/// neighbouring triangles of opposite orientation, an inward oriented surface, or when no cell is inside.
RESILIN_API Mesh voxelize(const Mesh& surface, double cell, ElementType type);

}  // namespace resilin

// Surfaces of triangles through rings of vertices: tubes, cones, hats.
#pragma once

#include "core/mesh/mesh.hpp"

#include <vector>

namespace resilin::meshes {

/// Joins rings of equally many vertices (at least three; 3 x n each) one after the other, each two by cells
/// cut in two along alternating diagonals. Seen along the way from ring to ring the vertices run clockwise,
/// that is right-handed about it; outside is then away from the middle. With a pole the last ring is closed
/// by a fan. Vertices are numbered ring by ring, the pole last.
Mesh loft(const std::vector<Mat3X>& rings, const Vec3* pole = nullptr);

/// Ring of n vertices about `center`, right-handed about the direction u x w of unit vectors, from u on.
Mat3X ring(const Vec3& center, double radius, const Vec3& u, const Vec3& w, Index n);

}  // namespace resilin::meshes

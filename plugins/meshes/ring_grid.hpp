// Grids bent to a ring: the nodes of their two ends become one.
#pragma once

#include "core/mesh/mesh.hpp"

#include <array>
#include <utility>

namespace resilin::meshes {

/// In a structured mesh whose vertex number is (outer * (around + 1) + i) * inner_count + inner with i from 0
/// to `around`, vertices with i = around are replaced by those with i = 0 and dropped. Diagonals of
/// tetrahedra meet, since all layers are cut alike.
inline void close_ring(Mesh& mesh, Index around, Index inner_count) {
  const auto split = [&](Index v) {
    const Index inner = v % inner_count, layer = v / inner_count;
    return std::array<Index, 3>{layer / (around + 1), layer % (around + 1), inner};
  };
  Mat3X kept(3, mesh.num_vertices() / (around + 1) * around);
  const auto number = [&](Index v) {
    const auto [outer, i, inner] = split(v);
    return (outer * around + i % around) * inner_count + inner;
  };
  for (Index v = 0; v < mesh.num_vertices(); ++v)
    if (split(v)[1] < around) kept.col(number(v)) = mesh.vertices.col(v);
  for (int& node : mesh.elements.reshaped()) node = static_cast<int>(number(node));
  mesh.vertices = std::move(kept);
}

}  // namespace resilin::meshes

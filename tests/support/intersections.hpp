// Whether triangles of surfaces cross, decided exactly: independent of how the simulator looks for contact.
#pragma once

#include "core/model/system.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace resilin::test {

/// A place in nanometres, below 2^38 of them (270 m): determinants of differences then fit in 128 bits.
using GridPoint = std::array<long long, 3>;
inline GridPoint grid_point(const Vec3& x) {
  GridPoint p;
  for (std::size_t k = 0; k < 3; ++k) {
    p[k] = std::llround(x[static_cast<Index>(k)] * 1e9);
    if (std::abs(p[k]) >= 1LL << 38) throw std::runtime_error("too far away for an exact test");
  }
  return p;
}

/// Sign of det(b - a, c - a, d - a).
inline int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
  __extension__ typedef __int128 Wide;
  std::array<std::array<Wide, 3>, 3> m;
  const std::array<const GridPoint*, 3> to{&b, &c, &d};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) m[i][k] = (*to[i])[k] - a[k];
  const Wide det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                   m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                   m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return det > 0 ? 1 : det < 0 ? -1 : 0;
}

/// Whether the segment p q meets the triangle a b c; what lies in one plane does not count.
inline bool meets(const GridPoint& p, const GridPoint& q, const GridPoint& a, const GridPoint& b,
                  const GridPoint& c) {
  const int sp = orientation(a, b, c, p), sq = orientation(a, b, c, q);
  if (sp * sq > 0 || (sp == 0 && sq == 0)) return false;
  const int u = orientation(p, q, a, b), v = orientation(p, q, b, c), w = orientation(p, q, c, a);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

/// Pairs of an edge of a triangle of one body and a triangle of the other that meet and share no vertex.
inline Index count_intersections(const Body& edges_of, const Body& triangles_of, const VecX& x) {
  const auto points = [&](const Body& body) {
    std::vector<GridPoint> p;
    for (Index i = 0; i < body.mesh.num_vertices(); ++i)
      p.push_back(grid_point(x.segment<3>(3 * (body.first_node + i))));
    return p;
  };
  const std::vector<GridPoint> from = points(edges_of), to = points(triangles_of);
  const SurfaceFaces edges = extract_surface(edges_of.mesh), faces = extract_surface(triangles_of.mesh);
  const bool same = &edges_of == &triangles_of;
  Index count = 0;
  for (Index e = 0; e < edges.faces.cols(); ++e)
    for (Index k = 0; k < edges.nodes_per_face; ++k) {
      const int i = edges.faces(k, e), j = edges.faces((k + 1) % edges.nodes_per_face, e);
      const GridPoint &p = from[static_cast<std::size_t>(i)], &q = from[static_cast<std::size_t>(j)];
      for (Index f = 0; f < faces.faces.cols(); ++f)
        for (Index corner = 2; corner < faces.nodes_per_face; ++corner) {
          const std::array<int, 3> t{faces.faces(0, f), faces.faces(corner - 1, f), faces.faces(corner, f)};
          if (same && (t[0] == i || t[1] == i || t[2] == i || t[0] == j || t[1] == j || t[2] == j)) continue;
          const auto at = [&](std::size_t c) -> const GridPoint& {
            return to[static_cast<std::size_t>(t[c])];
          };
          bool apart = false;
          for (std::size_t a = 0; a < 3; ++a)
            apart = apart || std::max(p[a], q[a]) < std::min({at(0)[a], at(1)[a], at(2)[a]}) ||
                    std::min(p[a], q[a]) > std::max({at(0)[a], at(1)[a], at(2)[a]});
          if (!apart && meets(p, q, at(0), at(1), at(2))) ++count;
        }
    }
  return count;
}

}  // namespace resilin::test

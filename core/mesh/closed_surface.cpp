#include "core/mesh/closed_surface.hpp"

#include "core/base/error.hpp"
#include "core/mesh/weld.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace resilin {
namespace {

using Triangle = std::array<int, 3>;

std::vector<Triangle> welded_triangles(const Mesh& surface, const char* action) {
  if (surface.type != ElementType::Tri3)
    throw Error(Errc::Input, fmt::format("{} needs a tri3 surface, not {}", action, name_of(surface.type)));
  if (surface.num_elements() == 0)
    throw Error(Errc::Input, fmt::format("{} needs a surface with triangles", action));
  if (!surface.vertices.allFinite())
    throw Error(Errc::Input, fmt::format("{} needs a surface whose coordinates are all finite", action));
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

}  // namespace

ClosedSurface closed_surface(const Mesh& mesh, const char* action) {
  ClosedSurface surface;
  surface.triangles = welded_triangles(mesh, action);
  require_closed(surface.triangles);
  const Vec3 lower = mesh.vertices.rowwise().minCoeff(), upper = mesh.vertices.rowwise().maxCoeff();
  surface.volume = signed_volume(mesh.vertices, surface.triangles, 0.5 * (lower + upper));
  if (!(surface.volume > 0))
    throw Error(Errc::Input,
                fmt::format("the surface encloses {} m^3; expected a positive volume, with triangles "
                            "counter-clockwise seen from outside",
                            surface.volume));
  return surface;
}

}  // namespace resilin

#include "contacts/self_contact/contact_surface.hpp"

#include <algorithm>

namespace resilin {

ContactSurface::ContactSurface(const std::vector<const BodyView*>& bodies) {
  for (std::size_t b = 0; b < bodies.size(); ++b) add(*bodies[b], static_cast<Index>(b));
  connect();
}

void ContactSurface::add(const BodyView& body, Index number) {
  const SurfaceFaces surface = extract_surface(*body.mesh);
  std::vector<Index> vertex(static_cast<std::size_t>(body.mesh->num_vertices()), -1);
  for (const int i : surface.faces.reshaped()) vertex[static_cast<std::size_t>(i)] = 0;
  for (std::size_t i = 0; i < vertex.size(); ++i) {
    if (vertex[i] < 0) continue;
    vertex[i] = num_vertices();
    nodes_.push_back(body.first_node + static_cast<Index>(i));
    body_.push_back(number);
  }
  for (Index f = 0; f < surface.faces.cols(); ++f)
    for (Index k = 2; k < surface.nodes_per_face; ++k) {  // a quad is two triangles
      const auto at = [&](Index corner) {
        return vertex[static_cast<std::size_t>(surface.faces(corner, f))];
      };
      triangles_.push_back({at(0), at(k - 1), at(k)});
    }
}

void ContactSurface::connect() {
  struct Side {
    std::array<Index, 2> vertices;
    Index apex;
  };
  std::vector<Side> sides;
  for (const auto& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t[(k + 2) % 3]});
    }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return a.vertices < b.vertices; });
  for (const Side& s : sides) {
    if (edges_.empty() || edges_.back().vertices != s.vertices) {
      const auto begin = static_cast<Index>(apexes_.size());
      edges_.push_back({s.vertices, begin, begin});
    }
    apexes_.push_back(s.apex);
    ++edges_.back().end;
  }
  std::vector<std::array<Index, 2>> ways;
  for (const Edge& e : edges_) {
    ways.push_back(e.vertices);
    ways.push_back({e.vertices[1], e.vertices[0]});
  }
  std::sort(ways.begin(), ways.end());
  first_neighbour_.assign(nodes_.size() + 1, 0);
  for (const auto& [from, to] : ways) {
    neighbours_.push_back(to);
    first_neighbour_[static_cast<std::size_t>(from) + 1] = neighbours_.size();
  }
  for (std::size_t v = 1; v < first_neighbour_.size(); ++v)  // of a vertex without edges
    first_neighbour_[v] = std::max(first_neighbour_[v], first_neighbour_[v - 1]);
}

const ContactSurface::Edge* ContactSurface::find_edge(Index a, Index b) const {
  const std::array<Index, 2> key{std::min(a, b), std::max(a, b)};
  const auto it = std::lower_bound(edges_.begin(), edges_.end(), key,
                                   [](const Edge& e, const auto& k) { return e.vertices < k; });
  return it != edges_.end() && it->vertices == key ? &*it : nullptr;
}

bool ContactSurface::are_neighbours(Index a, Index b) const {
  const auto all = neighbours(a);
  return std::binary_search(all.begin(), all.end(), b);
}

}  // namespace resilin

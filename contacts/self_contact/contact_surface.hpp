// The surfaces of bodies as vertices, edges and triangles with what lies next to what.
#pragma once

#include "core/mesh/mesh.hpp"
#include "core/plugin/component.hpp"

#include <array>
#include <span>
#include <vector>

namespace resilin {

/// Vertices are numbered from 0, those of the first body first.
class ContactSurface {
 public:
  ContactSurface() = default;
  /// Throws Error(Input) for a body that has no surface.
  explicit ContactSurface(const std::vector<const BodyView*>& bodies);

  struct Edge {
    std::array<Index, 2> vertices;  ///< ascending
    Index begin, end;               ///< of its apexes
  };
  Index num_vertices() const { return static_cast<Index>(nodes_.size()); }
  const std::vector<Index>& nodes() const { return nodes_; }  ///< numbers in the system, ascending
  Index body(Index vertex) const { return body_[static_cast<std::size_t>(vertex)]; }
  const std::vector<std::array<Index, 3>>& triangles() const { return triangles_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// Third corners of the triangles at an edge.
  std::span<const Index> apexes(const Edge& e) const {
    return {apexes_.data() + e.begin, static_cast<std::size_t>(e.end - e.begin)};
  }
  /// The edge between two vertices; null if there is none.
  const Edge* find_edge(Index a, Index b) const;
  /// What edges join to a vertex, ascending.
  std::span<const Index> neighbours(Index vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {neighbours_.data() + first_neighbour_[v], first_neighbour_[v + 1] - first_neighbour_[v]};
  }
  bool are_neighbours(Index a, Index b) const;

 private:
  void add(const BodyView& body, Index number);
  void connect();

  std::vector<Index> nodes_, body_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Edge> edges_;  ///< sorted by their vertices
  std::vector<Index> apexes_, neighbours_;
  std::vector<std::size_t> first_neighbour_;
};

}  // namespace resilin

// Named findings about a mesh: what would make a simulation wrong, said before it runs.
#pragma once

#include "core/mesh/mesh.hpp"

#include <string>
#include <vector>

namespace resilin {

struct MeshFinding {
  /// non_finite_vertex, index_out_of_range, inverted_element, zero_volume_element, duplicate_node_in_element,
  /// no_elements (errors); unused_vertex, duplicate_vertex, sliver_element, suspicious_scale and, of triangle
  /// surfaces, non_manifold_edge, opposite_triangles (warnings)
  std::string name;
  bool is_error = false;
  Index count = 0;      ///< how many vertices or elements
  Index first = -1;     ///< index of the first
  std::string message;  ///< one sentence with numbers
};

RESILIN_API std::vector<MeshFinding> check_mesh(const Mesh& mesh);

}  // namespace resilin

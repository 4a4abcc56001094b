// Whether a triangle surface encloses a volume, which filling it with elements takes for granted.
#pragma once

#include "core/mesh/mesh.hpp"

#include <array>
#include <vector>

namespace resilin {

struct ClosedSurface {
  std::vector<std::array<int, 3>> triangles;  ///< vertices of equal coordinates as one; no degenerate ones
  double volume = 0;                          ///< enclosed [m^3], positive
};

/// Vertices with the same coordinates count as one. Throws Error(Input), naming an edge or a number, unless
/// the mesh is tri3, finite, closed, of consistent orientation and oriented outwards; `action` begins the
/// messages about what it is no surface of ("voxelize needs a tri3 surface, not tet4").
RESILIN_API ClosedSurface closed_surface(const Mesh& mesh, const char* action);

}  // namespace resilin

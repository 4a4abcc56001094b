// Which elements touch each other.
#pragma once

#include "core/mesh/mesh.hpp"

#include <vector>

namespace resilin {

struct SharedFace {
  Index first = 0, second = 0;  ///< elements, first < second
  double area = 0;              ///< [m^2]; of a quad: half the cross product of its diagonals
};

/// The faces between two elements of a tet4 or hex8 mesh, in the order of (first, second). Throws
/// Error(Input) for other meshes.
RESILIN_API std::vector<SharedFace> shared_faces(const Mesh& mesh);

}  // namespace resilin

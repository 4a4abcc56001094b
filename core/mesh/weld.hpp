// Vertices with the same coordinates: files often repeat them along seams, some for every triangle.
#pragma once

#include "core/mesh/mesh.hpp"

#include <vector>

namespace resilin::mesh_detail {

/// For each column the first one with exactly the same coordinates (0 and -0 are the same).
std::vector<int> first_equal_columns(const Mat3X& x);

}  // namespace resilin::mesh_detail

// Fills a closed surface with tetrahedra by a mesher of the system.
#pragma once

#include "core/mesh/mesh.hpp"

#include <string>

namespace resilin::app {

/// `mesher` is "gmsh", "tetgen" or empty (the first of them that is on PATH); `size` is the longest edge [m]
/// that is wanted inside, 0 leaves it to the mesher. The triangles of the surface stay as they are. Throws
/// Error(Input) where the surface is not closed, no mesher is there (naming the packages) or it fails.
Mesh tetrahedralize(const Mesh& surface, double size, const std::string& mesher);

}  // namespace resilin::app

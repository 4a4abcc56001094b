// Jacobian determinants of a trilinear hexahedron, shared by volumes and quality checks.
#pragma once

#include "core/mesh/mesh.hpp"

#include <array>

namespace resilin::mesh_detail {

/// The 3 x 3 Jacobian d(position)/d(reference coordinate in [0, 1]^3) [m] of hexahedron `element` at the
/// eight points of the 2x2x2 Gauss rule, whose weights are 1/8 each. Node indices must be valid.
std::array<Mat3, 8> hex_jacobians(const Mesh& mesh, Index element);

}  // namespace resilin::mesh_detail

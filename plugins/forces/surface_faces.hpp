// Faces of a body's surface that a force acts on.
#pragma once

#include "core/mesh/selector.hpp"
#include "core/plugin/component.hpp"

namespace resilin {

/// Nodes of the system, 3 or 4 a face, outward oriented: the faces of the body's surface all of whose
/// vertices are selected. Throws Error(Input) at "faces" if there is none or, with one_sided, if triangles of
/// a body that is a surface have opposite sides outside where they meet.
Mesh::Elements select_faces(const BodyView& body, const Selector& faces, bool one_sided,
                            const BuildContext& context);

/// Vector area A n [m^2] of a face of 3 or 4 nodes (a column of what select_faces gives): half the cross
/// product of two edges, or of the diagonals.
Vec3 face_area(const Mesh::Elements& faces, Index face, const ConstVec& x);
/// For a cotangent of it: dx += (d area / d x)^T d_area.
void add_face_area_vjp(const Mesh::Elements& faces, Index face, const ConstVec& x, const Vec3& d_area,
                       MutVec dx);

}  // namespace resilin

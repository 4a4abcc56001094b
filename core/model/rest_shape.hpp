// Rest shapes that are parameters: shared by the building of a System and its updates.
#pragma once

#include "core/model/system.hpp"

namespace resilin {

/// The body's mesh with `displacements` (one per vertex) added. Throws Error(Input) naming the first element
/// that they invert or flatten.
Mesh displaced_mesh(const Body& body, const Field& displacements);
/// One density for the body or one per element.
VecX element_density(const Body& body);

}  // namespace resilin

// Voxel bodies that must not fall apart.
#pragma once

#include "core/base/error.hpp"
#include "core/mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace resilin::meshes {

/// Throws Error(Input), "cells of .. m are too coarse for WHAT: it falls into .. pieces", unless the elements
/// are connected through faces.
inline void require_one_piece(const Mesh& mesh, double cell, const std::string& what) {
  const std::vector<Index> component = face_components(mesh);
  const Index pieces = *std::max_element(component.begin(), component.end()) + 1;
  if (pieces > 1)
    throw Error(Errc::Input, fmt::format("cells of {} m are too coarse for {}: it falls into {} pieces", cell,
                                         what, pieces));
}

}  // namespace resilin::meshes

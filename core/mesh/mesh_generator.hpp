// Pluggable sources of meshes: a scene names one by its type.
#pragma once

#include "core/mesh/mesh.hpp"
#include "core/plugin/registry.hpp"

namespace resilin {

class RESILIN_API MeshGenerator : public Component {
 public:
  ~MeshGenerator() override;  // out of line: one type_info for all libraries
  /// The rest mesh [m]; the same bits at every call. Throws Error(Input) for options that give no mesh.
  virtual Mesh generate() const = 0;
};

RESILIN_KIND(MeshGenerator, "mesh_generator");

}  // namespace resilin

// The inside of a closed surface from a file, as equal cubes.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class SurfaceVoxels final : public MeshGenerator {
 public:
  struct Options {
    std::string surface;
    double cell = 0.05;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  SurfaceVoxels(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

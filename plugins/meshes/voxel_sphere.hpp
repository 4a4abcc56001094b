// A ball of equal cubes: the cells of a grid whose centres lie within the radius.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class VoxelSphere final : public MeshGenerator {
 public:
  struct Options {
    double radius = 0.5;
    double cell = 0.1;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  VoxelSphere(const Options& options, const BuildContext&) : options_(options) {}
  /// Throws Error(Input) where the cubes differ from the ball's volume by more than a quarter.
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

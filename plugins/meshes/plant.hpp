// A plant-like body of equal cubes: a foot, a stem, curved branches and flat leaves.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Plant final : public MeshGenerator {
 public:
  struct Options {
    double height = 0.884;
    double cell = 1.0 / 86.0;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Plant(const Options& options, const BuildContext&) : options_(options) {}
  /// One piece, connected through shared faces, that stands on z = 0 with the stem on the z axis; throws
  /// Error(Input) if the cells are too coarse for that.
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

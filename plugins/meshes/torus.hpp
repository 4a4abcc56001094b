// A solid ring about the z axis.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Torus final : public MeshGenerator {
 public:
  struct Options {
    double major_radius = 0.4;
    double minor_radius = 0.1;
    Index cells_across = 3;
    Index cells_around = 24;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Torus(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

// A hollow cylinder about the z axis.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Tube final : public MeshGenerator {
 public:
  struct Options {
    double inner_radius = 0.08;
    double outer_radius = 0.1;
    double height = 0.5;
    Index cells_radial = 2;
    Index cells_around = 24;
    Index cells_along = 20;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Tube(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

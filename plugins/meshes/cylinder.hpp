// A cylinder about the z axis.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Cylinder final : public MeshGenerator {
 public:
  struct Options {
    double radius = 0.1;
    double height = 1.0;
    Index cells_across = 4;
    Index cells_along = 20;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Cylinder(const Options& options, const BuildContext&) : options_(options) {}
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

// A ball whose boundary vertices lie on the sphere.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Sphere final : public MeshGenerator {
 public:
  struct Options {
    double radius = 0.5;
    Index cells = 8;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Sphere(const Options& options, const BuildContext&) : options_(options) {}
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

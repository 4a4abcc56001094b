// An open cone frustum of cloth about the z axis: a skirt or a simple dress. Hem at z = 0, waist at the top;
// normals outward. Two boundaries.
#pragma once

#include "core/mesh/mesh_generator.hpp"

namespace resilin::meshes {

class Cone final : public MeshGenerator {
 public:
  struct Options {
    double top_radius = 0.15, bottom_radius = 0.4, height = 0.6;
    Index cells_around = 32, cells_along = 16;
    void visit(ParamVisitor& v);
  };
  Cone(const Options& options, const BuildContext&) : options_(options) {}
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

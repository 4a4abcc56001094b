// A hat of cloth: a half sphere with a brim around its open side, about the z axis. The brim lies at z = 0
// and may droop; normals outward and, of the brim, up. One boundary, the edge of the brim.
#pragma once

#include "core/mesh/mesh_generator.hpp"

namespace resilin::meshes {

class Hat final : public MeshGenerator {
 public:
  struct Options {
    double radius = 0.1, brim_width = 0.05, droop = 0;
    Index cells_around = 32, cells_crown = 8, cells_brim = 4;
    void visit(ParamVisitor& v);
  };
  Hat(const Options& options, const BuildContext&) : options_(options) {}
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

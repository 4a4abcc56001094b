// A flat sheet in the x-y plane, as triangles or as one layer of solid elements.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>
#include <vector>

namespace resilin::meshes {

class Sheet final : public MeshGenerator {
 public:
  struct Options {
    VecX size = VecX::Ones(2);
    std::vector<Index> cells = {10, 10};
    Vec3 origin = Vec3::Zero();
    std::string element = "tri3";
    std::string diagonals = "alternating";
    double thickness = 0.01;
    void visit(ParamVisitor& v);
  };

  Sheet(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Mesh triangles() const;
  Options options_;
};

}  // namespace resilin::meshes

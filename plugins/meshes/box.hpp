// A box of equal cells.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>
#include <vector>

namespace resilin::meshes {

class Box final : public MeshGenerator {
 public:
  struct Options {
    Vec3 size = Vec3::Ones();
    std::vector<Index> cells = {4, 4, 4};
    Vec3 origin = Vec3::Zero();
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Box(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

// A T-shirt of cloth: two equal panels, front (z > 0) and back, sewn along the sides, the sleeves and the
// shoulders. Upright in the x-y plane, its hem at y = 0, symmetric in x and z:
//
//          ________      ________    y = height          open: the neck (top, middle), the hem,
//         |   shoulder  neck     |                        both ends of the sleeves
//         |____              ____|   y = height - sleeve_width
//              |            |
//              |____________|        y = 0
//              <-- width --->
//
// Vertices on a seam exist once, at z = 0; from the seams the panels bulge to the given depth like a circle
// seen from the side. Normals outward. Four boundaries.
#pragma once

#include "core/mesh/mesh_generator.hpp"

namespace resilin::meshes {

class Shirt final : public MeshGenerator {
 public:
  struct Options {
    double width = 0.5, height = 0.7, sleeve_length = 0.2, sleeve_width = 0.2, neck_width = 0.2, depth = 0.05;
    double cell = 0.04;
    void visit(ParamVisitor& v);
  };
  Shirt(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

// A sock of cloth: an L-shaped tube in the x-z plane. The leg runs down along z to a bend of a quarter circle
// at the heel and on into the foot along x, which a half sphere closes at the toes. The opening is at the
// top, the sole at z = -radius; the toe points along x; the axis of the leg is the z axis. Normals outward.
// One boundary, the opening.
#pragma once

#include "core/mesh/mesh_generator.hpp"

namespace resilin::meshes {

class Sock final : public MeshGenerator {
 public:
  struct Options {
    double radius = 0.05, leg = 0.15, bend = 0.06, foot = 0.12;
    Index cells_around = 24, cells_leg = 10, cells_bend = 8, cells_foot = 8, cells_toe = 5;
    void visit(ParamVisitor& v);
  };
  Sock(const Options& options, const BuildContext& context);
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

// An animal of equal cubes: body, four legs, neck, head and tail.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>

namespace resilin::meshes {

class Quadruped final : public MeshGenerator {
 public:
  struct Options {
    double body_length = 0.6;
    double body_radius = 0.13;
    double leg_length = 0.3;
    double leg_radius = 0.05;
    double stance = 0.2;
    double neck_length = 0.18;
    double neck_radius = 0.06;
    double head_radius = 0.09;
    double tail_length = 0.25;
    double tail_radius = 0.035;
    double smoothing = 0.04;
    double cell = 0.025;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  Quadruped(const Options& options, const BuildContext&) : options_(options) {}
  /// One piece, connected through faces, symmetric about y = 0, looking along x, with its feet on z = 0 and
  /// its body's middle on the z axis. Throws Error(Input) where the cells are too coarse for that.
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

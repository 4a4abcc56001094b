// The union of simple shapes, rounded off where they meet, as equal cubes.
#pragma once

#include "core/mesh/mesh_generator.hpp"

#include <string>
#include <vector>

namespace resilin::meshes {

class ShapeUnion final : public MeshGenerator {
 public:
  /// Exactly one of the four shapes.
  struct Part {
    bool has_sphere = false, has_box = false, has_capsule = false, has_torus = false;
    Vec3 center = Vec3::Zero();
    Vec3 size = Vec3::Constant(0.2);
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    Vec3 axis = Vec3::UnitZ();
    double radius = 0.1, minor_radius = 0.02;
    void visit(ParamVisitor& v);
    Index shapes() const { return Index{has_sphere} + has_box + has_capsule + has_torus; }
  };
  struct Options {
    std::vector<Part> parts = default_parts();
    double smoothing = 0.05;
    double cell = 0.025;
    bool one_piece = true;
    std::string element = "hex8";
    void visit(ParamVisitor& v);
  };

  ShapeUnion(const Options& options, const BuildContext& context);
  /// The grid's corner is a multiple of the cell's edge, so that other parts do not move it. Throws
  /// Error(Input) if it falls into pieces although one is asked for.
  Mesh generate() const override;

 private:
  static std::vector<Part> default_parts();  ///< two balls joined by a bar
  Options options_;
};

}  // namespace resilin::meshes

// A curve of straight pieces through given points.
#pragma once

#include "core/mesh/mesh_generator.hpp"

namespace resilin::meshes {

class Polyline final : public MeshGenerator {
 public:
  struct Options {
    Field points = unit_length();
    Index cells = 20;
    bool closed = false;
    void visit(ParamVisitor& v);

   private:
    static Field unit_length();  ///< from the origin to (1, 0, 0)
  };

  Polyline(const Options& options, const BuildContext& context);
  /// Vertices and segments are numbered along the curve.
  Mesh generate() const override;

 private:
  Options options_;
};

}  // namespace resilin::meshes

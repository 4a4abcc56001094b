// A half-space: d = n . (p - r).
#pragma once

#include "core/geometry/rigid_collider.hpp"

namespace resilin {

struct PlaneOptions {
  ColliderPose pose;
  static PoseKeys keys() { return {.axis = "normal", .inside = false}; }
  void visit(ParamVisitor& v) { pose.visit(v, keys()); }
};

class Plane final : public ShapeCollider<PlaneOptions> {
 public:
  using Options = PlaneOptions;
  Plane(const Options& options, const BuildContext& context) : ShapeCollider(options) { place(context); }

 private:
  LocalPoint local(const Vec3& y) const override { return {.distance = y.z()}; }
  Box3 local_bounds() const override { return unbounded_box(); }
};

}  // namespace resilin

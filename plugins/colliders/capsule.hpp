// A segment of the z axis thickened by a radius: d = |y - s| - R, s the point of the segment closest to y.
// Not smooth on the segment only. Features: 0 lower cap, 1 side, 2 upper cap; the Hessian jumps between them.
#pragma once

#include "core/geometry/rigid_collider.hpp"

namespace resilin {

struct CapsuleOptions {
  ColliderPose pose;
  double radius = 0.5, length = 1;
  static PoseKeys keys() { return {.axis = "axis"}; }
  void visit(ParamVisitor& v);
};

class Capsule final : public ShapeCollider<CapsuleOptions> {
 public:
  using Options = CapsuleOptions;
  Capsule(const Options& options, const BuildContext& context) : ShapeCollider(options) { place(context); }

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 2; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
};

}  // namespace resilin

// A ball: d = |y| - R. Not smooth at its centre only, where the normal is the z axis.
#pragma once

#include "core/geometry/rigid_collider.hpp"

namespace resilin {

struct BallOptions {
  ColliderPose pose;
  double radius = 1;
  static PoseKeys keys() { return {.rotation = false}; }
  void visit(ParamVisitor& v);
};

class Ball final : public ShapeCollider<BallOptions> {
 public:
  using Options = BallOptions;
  Ball(const Options& options, const BuildContext& context) : ShapeCollider(options) { place(context); }

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 1; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
};

}  // namespace resilin

// A solid cylinder about the z axis, its middle at the position. Exact outside and inside (see product.hpp).
// Inside, the normal jumps where side and cap are equally near, and has no direction on the axis where the
// side is nearest. Features: 1 side, 2 and 4 lower and upper cap, 3 and 5 their rims.
#pragma once

#include "core/geometry/rigid_collider.hpp"

namespace resilin {

struct RodOptions {
  ColliderPose pose;
  double radius = 0.5, length = 1;
  static PoseKeys keys() { return {.axis = "axis"}; }
  void visit(ParamVisitor& v);
};

class Rod final : public ShapeCollider<RodOptions> {
 public:
  using Options = RodOptions;
  Rod(const Options& options, const BuildContext& context) : ShapeCollider(options) { place(context); }

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 2; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
};

}  // namespace resilin

// A spherical cap with a rounded rim, open towards +z, its centre of curvature at the position: the points
// closer than half the thickness to the middle surface, which runs from the axis to `angle` away from it
// (pi/2: a hemisphere). Exact. Not smooth on the middle surface, where the normal jumps (what gets deeper
// than half the thickness comes out at the other side), and on the axis above the rim. Features: 0 inner and
// 1 outer side, 3 rim.
#pragma once

#include "core/geometry/rigid_collider.hpp"

namespace resilin {

struct BowlOptions {
  ColliderPose pose;
  double radius = 0.5, thickness = 0.05, angle = 1.5707963267948966;
  static PoseKeys keys() { return {.axis = "axis", .inside = false}; }
  void visit(ParamVisitor& v);
};

class Bowl final : public ShapeCollider<BowlOptions> {
 public:
  using Options = BowlOptions;
  Bowl(const Options& options, const BuildContext& context) : ShapeCollider(options) { place(context); }

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 3; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
};

}  // namespace resilin

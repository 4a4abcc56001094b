// A slide or trough: a circular arc, thick and with rounded ends, drawn out along the y axis of its frame.
// The arc's centre is the position; its directions run from straight down (-z, angle 0) towards +x. Bodies
// slide on its inner side, of radius `radius`, or on its outer one. With a(x, z) the distance to the arc's
// middle line less half the thickness it is the product (see product.hpp) of a and an interval of y: exact.
// Not smooth on the middle line, where the normal jumps: what gets deeper than half the thickness comes out
// at the other side. Features: s + 5 e with s = 0 beside the arc, 1 inner and 2 outer side, 3 and 4 rounded
// start and end, e = 0 within the width, 1 and 2 beyond its lower and upper end.
#pragma once

#include "core/geometry/rigid_collider.hpp"

#include <string>

namespace resilin {

struct SlideOptions {
  ColliderPose pose;
  double radius = 1, thickness = 0.1, start = -0.5, end = 0.5, width = 1;
  static PoseKeys keys() { return {.inside = false}; }
  void visit(ParamVisitor& v);
};

class Slide final : public ShapeCollider<SlideOptions> {
 public:
  using Options = SlideOptions;
  Slide(const Options& options, const BuildContext& context);

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 5; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
  void sizes_changed() override;

  std::string path_;  ///< for messages
};

}  // namespace resilin

// A closed triangle surface from a file, scaled about its origin: d(y) = s D(y / s) with D the signed
// distance of core/geometry/triangle_surface.hpp, exact outside and inside. The normal jumps across the
// medial axis, which reaches the surface at concave edges; it is continuous where the closest point goes over
// a convex edge. Features as there.
#pragma once

#include "core/geometry/rigid_collider.hpp"
#include "core/geometry/triangle_surface.hpp"

#include <string>

namespace resilin {

struct TriangleMeshOptions {
  ColliderPose pose;
  std::string file;
  double scale = 1;
  static PoseKeys keys() { return {}; }
  void visit(ParamVisitor& v);
};

class TriangleMesh final : public ShapeCollider<TriangleMeshOptions> {
 public:
  using Options = TriangleMeshOptions;
  TriangleMesh(const Options& options, const BuildContext& context);

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override;
  Index num_sizes() const override { return 1; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;

  TriangleSurface surface_;
};

}  // namespace resilin

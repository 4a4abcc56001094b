// A box with edges along the axes of its frame, its edges rounded by a radius: that of smaller sides, grown
// by the radius. Exact outside and inside (see product.hpp). Inside, the normal jumps where two faces are
// equally near. Features: 3^0 sx + 3^1 sy + 3^2 sz with s = 0 beside that pair of faces, 1 beyond the lower
// one (or, inside, nearest to it), 2 beyond the upper one.
#pragma once

#include "core/geometry/rigid_collider.hpp"

#include <string>

namespace resilin {

struct BlockOptions {
  ColliderPose pose;
  Vec3 size = Vec3::Ones();
  double rounding = 0;
  static PoseKeys keys() { return {}; }
  void visit(ParamVisitor& v);
};

class Block final : public ShapeCollider<BlockOptions> {
 public:
  using Options = BlockOptions;
  Block(const Options& options, const BuildContext& context);

 private:
  LocalPoint local(const Vec3& y) const override;
  Box3 local_bounds() const override { return {-0.5 * options_.size, 0.5 * options_.size}; }
  Index num_sizes() const override { return 4; }
  void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                    MutVec dsizes) const override;
  void sizes_changed() override;

  std::string path_;  ///< for messages
};

}  // namespace resilin

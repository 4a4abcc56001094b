// Colliders: surfaces that bodies cannot enter, as signed distances with exact derivatives. Friction belongs
// to the pairing with a body, not to the collider.
#pragma once

#include "core/geometry/box3.hpp"
#include "core/plugin/registry.hpp"

#include <span>

namespace resilin {

/// What a collider is like seen from a point p at a time t. With d the signed distance and s = p - d n the
/// closest point of the surface:
struct SurfacePoint {
  /// d [m], exact: positive on the admissible side, negative where bodies must not be.
  double distance = 0;
  /// n = d d/d p, a unit vector: it points to where bodies may be.
  Vec3 normal = Vec3::UnitZ();
  /// d n/d p [1/m], symmetric, with hessian * normal = 0.
  Mat3 hessian = Mat3::Zero();
  /// Of the material of the collider at s [m/s]; the distance of a resting point changes by -n . velocity.
  Vec3 velocity = Vec3::Zero();
  /// d velocity/d p [1/s], through the closest point.
  Mat3 velocity_gradient = Mat3::Zero();
  /// The part of the surface that s lies on (a face, an edge, a cell), numbered by each type. While s moves
  /// within one part all of the above is smooth. From one part to the next the distance stays continuous; the
  /// normal jumps where two parts are equally near (the medial axis, which reaches the surface at its concave
  /// edges) and is continuous elsewhere, where only the Hessian jumps. Of equally near parts one is taken,
  /// always the same. -1: p is not finite, and nothing else here is.
  Index feature = 0;
  /// False where the distance has no gradient at p and a unit vector stands for it (the centre of a sphere).
  /// A type may fail to notice.
  bool regular = true;
};

/// Cotangents of the numbers of a SurfacePoint.
struct SurfaceCotangent {
  double distance = 0;
  Vec3 normal = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};

class RESILIN_API Collider : public Component {
 public:
  using ConstPoints = Eigen::Ref<const Mat3X>;  ///< 3 x n [m], one column a point
  using MutPoints = Eigen::Ref<Mat3X>;

  /// out[i] for each of the points at time t [s]; out.size() = points.cols(). Allocates nothing.
  virtual void query(double t, ConstPoints points, std::span<SurfacePoint> out) const = 0;
  /// The same for one point.
  SurfacePoint at(double t, const Vec3& point) const;

  /// Size of its part of the parameter table: all differentiable fields in the order of visit_parameters().
  virtual Index num_parameters() const = 0;
  /// Adds what the cotangents z of distance, normal and velocity are pulled back to, by exact derivatives of
  /// what query() returns: dpoints += (d out/d points)^T z, dtheta += (d out/d theta)^T z.
  virtual void add_vjp(double t, ConstPoints points, std::span<const SurfaceCotangent> z, MutPoints dpoints,
                       MutVec dtheta) const = 0;

  /// A box that holds all that bodies must not be in at any time of [begin, end] [s]. Between 17 times that
  /// it looks at it assumes that no part moves faster than at their ends or than on average. Unbounded where
  /// the collider is.
  virtual Box3 bounds(double begin, double end) const = 0;
};
RESILIN_KIND(Collider, "collider");

}  // namespace resilin

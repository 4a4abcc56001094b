// A shape in its own frame, placed in space and moved: what all rigid colliders share. A point y of the
// shape's frame is at time t at
//     x = M(t, r + R(w) A y) = Q(t) y + c(t)
// with the position r, the rotation vector w, the turn A of the z axis to `axis`, and the motion M, which
// must be rigid.
#pragma once

#include "core/geometry/collider.hpp"
#include "core/geometry/motion.hpp"

#include <memory>

namespace resilin {

/// Which options of its pose a shape has.
struct PoseKeys {
  const char* axis = nullptr;  ///< name of the direction of the shape's z axis; null: has none
  bool rotation = true;        ///< false: the shape looks the same from everywhere
  bool inside = true;          ///< it encloses a volume, and may be turned into a container
};

/// Options that a shape puts in front of its own.
struct RESILIN_API ColliderPose {
  Vec3 position = Vec3::Zero(), rotation = Vec3::Zero(), axis = Vec3::UnitZ();
  bool inside = false;
  ComponentSpec motion;  ///< no type: at rest
  void visit(ParamVisitor& v, const PoseKeys& keys);
};

/// A shape seen from a point of its own frame: fields as in SurfacePoint, positive outside.
struct LocalPoint {
  double distance = 0;
  Vec3 normal = Vec3::UnitZ();
  Mat3 hessian = Mat3::Zero();
  Index feature = 0;
  bool regular = true;
};

class RESILIN_API RigidCollider : public Collider {
 public:
  ~RigidCollider() override;
  void visit_parameters(ParamVisitor& v) final;
  void parameters_changed() final;
  void query(double t, ConstPoints points, std::span<SurfacePoint> out) const final;
  Index num_parameters() const final;
  void add_vjp(double t, ConstPoints points, std::span<const SurfaceCotangent> z, MutPoints dpoints,
               MutVec dtheta) const final;
  Box3 bounds(double begin, double end) const final;

 protected:
  RigidCollider();
  /// To be called once, at the end of a constructor: checks the axis (a unit vector) and makes the motion,
  /// which has to be rigid. `pose` is the live one. Throws Error(Input).
  void place(ColliderPose& pose, const PoseKeys& keys, const BuildContext& context);

  /// The live options, pose first.
  virtual void visit_options(ParamVisitor& v) = 0;
  /// The exact signed distance at y and its first two derivatives.
  virtual LocalPoint local(const Vec3& y) const = 0;
  /// Of the solid in its own frame.
  virtual Box3 local_bounds() const = 0;
  /// Differentiable fields that follow the pose.
  virtual Index num_sizes() const { return 0; }
  /// dsizes += (d distance/d sizes)^T zd + (d normal/d sizes)^T zn at y; `at` is local(y).
  virtual void add_size_vjp(const Vec3& y, const LocalPoint& at, double zd, const Vec3& zn,
                            MutVec dsizes) const;
  /// Recomputes what was derived from the sizes; throws Error(Input) for an impossible combination.
  virtual void sizes_changed() {}

 private:
  /// Q, c and their derivatives with respect to time; or cotangents of all these.
  struct Frame {
    Mat3 rotation, rotation_rate;
    Vec3 position, velocity;
  };
  Index num_pose_parameters() const { return keys_.rotation ? 6 : 3; }
  Index num_motion_parameters() const { return motion_ ? motion_->num_parameters() : 0; }
  Frame frame(double t) const;
  void require_rigid_motion(const BuildContext& context) const;
  /// (d frame/d theta)^T z for pose and motion.
  void add_frame_vjp(double t, const Frame& z, MutVec dtheta) const;
  SurfacePoint to_world(const Frame& f, const LocalPoint& at, const Vec3& y) const;
  LocalPoint signed_local(const Vec3& y) const;
  Box3 box_at(const Frame& f, const Box3& shape) const;

  ColliderPose* pose_ = nullptr;
  PoseKeys keys_;
  Mat3 axis_turn_ = Mat3::Identity();  ///< A
  Mat3 turn_ = Mat3::Identity();       ///< R(w) A
  std::unique_ptr<Motion> motion_;
};

/// A rigid collider with the options O, which have `ColliderPose pose`, `static PoseKeys keys()` and visit().
template <class O>
class ShapeCollider : public RigidCollider {
 protected:
  explicit ShapeCollider(const O& options) : options_(options) {}
  void place(const BuildContext& context) { RigidCollider::place(options_.pose, O::keys(), context); }
  void visit_options(ParamVisitor& v) final { options_.visit(v); }
  O options_;
};

}  // namespace resilin

#include "core/geometry/rigid_collider.hpp"

#include "core/geometry/rotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace resilin {

void ColliderPose::visit(ParamVisitor& v, const PoseKeys& keys) {
  v.vec3("position", position,
         {.doc = "of the origin of the shape's own frame", .unit = "m", .differentiable = true});
  if (keys.rotation)
    v.vec3("rotation", rotation,
           {.doc = "turn about the position, as a vector along its axis with the angle as length",
            .unit = "rad",
            .differentiable = true});
  if (keys.axis != nullptr)
    v.vec3(keys.axis, axis, {.doc = "direction of the shape's z axis before the rotation, a unit vector"});
  if (keys.inside)
    v.flag("inside", inside, {.doc = "bodies belong inside: a container instead of an obstacle"});
  v.component("motion", Kind<Motion>::kName, motion, {.doc = "prescribed rigid motion; default: at rest"});
}

RigidCollider::RigidCollider() = default;
RigidCollider::~RigidCollider() = default;

void RigidCollider::add_size_vjp(const Vec3&, const LocalPoint&, double, const Vec3&, MutVec) const {}

void RigidCollider::place(ColliderPose& pose, const PoseKeys& keys, const BuildContext& context) {
  pose_ = &pose;
  keys_ = keys;
  if (keys.axis != nullptr) {
    const double length = pose.axis.norm();
    if (!(length > 0))
      throw context.input_error(keys.axis, "a unit vector is expected, not one without a direction");
    const Vec3 unit = pose.axis / length;
    // Written with three digits a unit vector is accepted.
    if (!(std::abs(length - 1) <= 1e-3))
      throw context.input_error(
          keys.axis,
          fmt::format("a unit vector is expected, not one of length {:.6g}; did you mean [{:.6g}, {:.6g}, "
                      "{:.6g}]?",
                      length, unit.x(), unit.y(), unit.z()));
    axis_turn_ = turn_z_axis_to(unit);
  }
  if (!pose.motion.type.empty()) motion_ = context.registry->make<Motion>(pose.motion, context);
  turn_ = rotation_matrix(pose.rotation) * axis_turn_;
  if (motion_) require_rigid_motion(context);
}

void RigidCollider::require_rigid_motion(const BuildContext& context) const {
  const double duration = static_cast<double>(context.steps) * context.time_step;
  for (const double part : {0.0, 0.31, 0.73, 1.0}) {
    const double t = part * duration;
    const Mat3 q = frame(t).rotation;
    const double gap = (q.transpose() * q - Mat3::Identity()).norm();
    if (!(gap < 1e-9) || !(q.determinant() > 0))
      throw context.input_error(
          "motion", fmt::format("a collider needs a rigid motion; this one deforms it at t = {} s", t));
  }
}

void RigidCollider::visit_parameters(ParamVisitor& v) {
  visit_options(v);
  if (motion_)
    v.section("motion", ParamVisitor::Body([&](ParamVisitor& w) { motion_->visit_parameters(w); }),
              {.doc = "prescribed rigid motion"});
}

void RigidCollider::parameters_changed() {
  turn_ = rotation_matrix(pose_->rotation) * axis_turn_;
  if (motion_) motion_->parameters_changed();
  sizes_changed();
}

Index RigidCollider::num_parameters() const {
  return num_pose_parameters() + num_sizes() + num_motion_parameters();
}

RigidCollider::Frame RigidCollider::frame(double t) const {
  Frame f{turn_, Mat3::Zero(), pose_->position, Vec3::Zero()};
  if (!motion_) return f;
  // A rigid map is known from what it does to the origin and the ends of the axes.
  f.position = motion_->position(t, pose_->position);
  f.velocity = motion_->velocity(t, pose_->position);
  for (Index k = 0; k < 3; ++k) {
    const Vec3 end = pose_->position + turn_.col(k);
    f.rotation.col(k) = motion_->position(t, end) - f.position;
    f.rotation_rate.col(k) = motion_->velocity(t, end) - f.velocity;
  }
  return f;
}

void RigidCollider::add_frame_vjp(double t, const Frame& z, MutVec dtheta) const {
  Vec3 dposition = z.position;
  Mat3 dturn = z.rotation;
  if (motion_) {
    MutVec dmotion = dtheta.tail(num_motion_parameters());
    const auto pull = [&](const Vec3& x, const Vec3& zx, const Vec3& zv) -> Vec3 {
      motion_->add_param_vjp(t, x, zx, dmotion);
      motion_->add_velocity_param_vjp(t, x, zv, dmotion);
      return motion_->pull_back(t, x, zx) + motion_->pull_back_velocity(t, x, zv);
    };
    dposition = pull(pose_->position, z.position - z.rotation.rowwise().sum(),
                     z.velocity - z.rotation_rate.rowwise().sum());
    for (Index k = 0; k < 3; ++k) {
      dturn.col(k) = pull(pose_->position + turn_.col(k), z.rotation.col(k), z.rotation_rate.col(k));
      dposition += dturn.col(k);
    }
  }
  dtheta.head<3>() += dposition;
  if (keys_.rotation) dtheta.segment<3>(3) += rotation_vjp(pose_->rotation, dturn * axis_turn_.transpose());
}

LocalPoint RigidCollider::signed_local(const Vec3& y) const {
  LocalPoint at = local(y);
  if (!pose_->inside) return at;
  at.distance = -at.distance;
  at.normal = -at.normal;
  at.hessian = -at.hessian;
  return at;
}

SurfacePoint RigidCollider::to_world(const Frame& f, const LocalPoint& at, const Vec3& y) const {
  SurfacePoint s;
  s.distance = at.distance;
  s.normal = f.rotation * at.normal;
  s.hessian = f.rotation * at.hessian * f.rotation.transpose();
  s.velocity = f.velocity + f.rotation_rate * (y - at.distance * at.normal);
  const Mat3 slide = Mat3::Identity() - at.normal * at.normal.transpose() -
                     at.distance * at.hessian;  // d s/d p in the frame
  s.velocity_gradient = f.rotation_rate * slide * f.rotation.transpose();
  s.feature = at.feature;
  s.regular = at.regular;
  return s;
}

void RigidCollider::query(double t, ConstPoints points, std::span<SurfacePoint> out) const {
  if (static_cast<Index>(out.size()) != points.cols())
    throw Error(Errc::Internal, "a collider is asked with room for another number of points");
  const Frame f = frame(t);
  for (Index i = 0; i < points.cols(); ++i) {
    SurfacePoint& s = out[static_cast<std::size_t>(i)];
    const Vec3 y = f.rotation.transpose() * (points.col(i) - f.position);
    if (y.allFinite()) {
      s = to_world(f, signed_local(y), y);
      continue;
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Mat3 none = Mat3::Constant(nan);
    s = {nan, none.col(0), none, none.col(0), none, -1, false};
  }
}

// In the frame, with phi, g, h the distance and its derivatives at y = Q^T (p - c) and sigma = y - phi g:
//     d = phi,   n = Q g,   velocity = c' + Q' sigma
void RigidCollider::add_vjp(double t, ConstPoints points, std::span<const SurfaceCotangent> z,
                            MutPoints dpoints, MutVec dtheta) const {
  if (static_cast<Index>(z.size()) != points.cols() || dpoints.cols() != points.cols() ||
      dtheta.size() != num_parameters())
    throw Error(Errc::Internal, "a collider pulls back to vectors of other sizes");
  const Frame f = frame(t);
  Frame df{Mat3::Zero(), Mat3::Zero(), Vec3::Zero(), Vec3::Zero()};
  MutVec dsizes = dtheta.segment(num_pose_parameters(), num_sizes());
  const double side = pose_->inside ? -1 : 1;
  for (Index i = 0; i < points.cols(); ++i) {
    const SurfaceCotangent& zi = z[static_cast<std::size_t>(i)];
    const Vec3 arm = points.col(i) - f.position, y = f.rotation.transpose() * arm;
    const LocalPoint unsided = local(y);
    const double phi = side * unsided.distance;
    const Vec3 g = side * unsided.normal;
    const Vec3 zsigma = f.rotation_rate.transpose() * zi.velocity;
    const double zphi = zi.distance - zsigma.dot(g);
    const Vec3 zg = f.rotation.transpose() * zi.normal - phi * zsigma;
    const Vec3 zy = zsigma + zphi * g + side * (unsided.hessian * zg);
    df.velocity += zi.velocity;
    df.rotation_rate += zi.velocity * (y - phi * g).transpose();
    df.rotation += zi.normal * g.transpose() + arm * zy.transpose();
    const Vec3 back = f.rotation * zy;
    dpoints.col(i) += back;
    df.position -= back;
    add_size_vjp(y, unsided, side * zphi, side * zg, dsizes);
  }
  add_frame_vjp(t, df, dtheta);
}

Box3 RigidCollider::box_at(const Frame& f, const Box3& shape) const {
  const Vec3 centre = f.position + f.rotation * shape.center();
  const Vec3 half = f.rotation.cwiseAbs() * (0.5 * shape.sizes());
  return {centre - half, centre + half};
}

Box3 RigidCollider::bounds(double begin, double end) const {
  const Box3 shape = local_bounds();
  // Outside a container there is no end to where bodies must not be.
  if (pose_->inside || !shape.sizes().allFinite()) return unbounded_box();
  if (!motion_) return box_at(frame(begin), shape);
  constexpr int kSamples = 16;
  const double h = (end - begin) / kSamples;
  Box3 box;
  double reach = 0;  // of a corner between two samples
  std::array<Vec3, 8> before, before_velocity;
  for (int k = 0; k <= kSamples; ++k) {
    const Frame f = frame(begin + k * h);
    box.extend(box_at(f, shape));
    for (std::size_t c = 0; c < 8; ++c) {
      const Vec3 corner = shape.corner(static_cast<Box3::CornerType>(c));
      const Vec3 x = f.position + f.rotation * corner, v = f.velocity + f.rotation_rate * corner;
      if (k > 0)
        reach = std::max({reach, (x - before[c]).norm(), h * v.norm(), h * before_velocity[c].norm()});
      before[c] = x;
      before_velocity[c] = v;
    }
  }
  // On a path of that length between two samples every point is at most half of it away from one of them.
  return {box.min().array() - 0.5 * reach, box.max().array() + 0.5 * reach};
}

}  // namespace resilin

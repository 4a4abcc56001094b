// A pinhole camera with radial lens distortion.
#pragma once

#include "core/params/visitor.hpp"

#include <array>

namespace resilin {

/// Frame of the camera: x to the right and y down in the picture, z forward, where it looks. A point p of the
/// world has the coordinates (X, Y, Z) = R(w)^T (p - position) there, w the rotation vector: w = 0 looks
/// along the z axis of the world; w = (-pi/2, 0, 0) along its y axis, with z up. Its pixel is
///     u = c_x + f d X/Z,  v = c_y + f a d Y/Z,  d = 1 + k1 r^2 + k2 r^4,  r^2 = (X^2 + Y^2) / Z^2
/// with the focal length f [px], the ratio a of the vertical to the horizontal one, the principal point c
/// [px] and the distortion k1, k2.
struct Camera {
  Vec3 position = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
  double focal_length = 1000, focal_ratio = 1;
  double principal_x = 0, principal_y = 0;
  double distortion_k1 = 0, distortion_k2 = 0;
  void visit(ParamVisitor& v);

  static constexpr Index kNumParameters = 12;

  /// Coordinates of a point in the frame of the camera; behind it if z <= 0.
  Vec3 local(const Vec3& point) const;
  /// The pixel of a point in front of the camera.
  Eigen::Vector2d project(const Vec3& point) const;
  /// Adds to the cotangent of the point, for one of its pixel.
  void add_vjp(const Vec3& point, const Eigen::Vector2d& of_pixel, Vec3& of_point) const;
  /// The same for the parameters, in the order of visit().
  void add_parameter_vjp(const Vec3& point, const Eigen::Vector2d& of_pixel, MutVec dtheta) const;
};

}  // namespace resilin

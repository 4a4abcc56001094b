#include "tasks/pixel_reprojection/camera.hpp"

#include "core/geometry/rotation.hpp"

namespace resilin {
namespace {

/// Point on the picture plane at distance 1, and how far the lens moves it away from the middle.
struct Ray {
  double x, y;        ///< X/Z, Y/Z
  double r2;          ///< x^2 + y^2
  double distortion;  ///< d
};

Ray ray_to(const Camera& camera, const Vec3& local) {
  const double x = local.x() / local.z(), y = local.y() / local.z(), r2 = x * x + y * y;
  return {x, y, r2, 1 + r2 * (camera.distortion_k1 + r2 * camera.distortion_k2)};
}

/// Cotangent of local().
Vec3 pull_to_local(const Camera& camera, const Vec3& local, const Eigen::Vector2d& of_pixel) {
  const Ray ray = ray_to(camera, local);
  const double of_x = camera.focal_length * of_pixel.x(),
               of_y = camera.focal_length * camera.focal_ratio * of_pixel.y();
  const double of_r2 =
      (of_x * ray.x + of_y * ray.y) * (camera.distortion_k1 + 2 * camera.distortion_k2 * ray.r2);
  const double a = of_x * ray.distortion + 2 * of_r2 * ray.x, b = of_y * ray.distortion + 2 * of_r2 * ray.y;
  return Vec3(a, b, -(a * ray.x + b * ray.y)) / local.z();
}

}  // namespace

void Camera::visit(ParamVisitor& v) {
  v.vec3("position", position,
         {.doc = "where the camera stands", .unit = "m", .differentiable = true, .required = true});
  v.vec3(
      "rotation", rotation,
      {.doc = "rotation vector (axis times angle) of the camera, which without it looks along z with its x "
              "axis to the right and its y axis down; [-1.5708, 0, 0] looks along y with z up",
       .unit = "rad",
       .differentiable = true});
  v.real("focal_length", focal_length,
         {.doc = "horizontal focal length f",
          .unit = "px",
          .min = 0,
          .open = true,
          .differentiable = true,
          .required = true});
  v.real("focal_ratio", focal_ratio,
         {.doc = "vertical over horizontal focal length", .min = 0, .open = true, .differentiable = true});
  v.real("principal_x", principal_x,
         {.doc = "column of the principal point", .unit = "px", .differentiable = true, .required = true});
  v.real("principal_y", principal_y,
         {.doc = "row of the principal point", .unit = "px", .differentiable = true, .required = true});
  v.real("distortion_k1", distortion_k1,
         {.doc = "radial distortion: points move outwards by k1 r^2 + k2 r^4 of their distance",
          .differentiable = true});
  v.real("distortion_k2", distortion_k2, {.doc = "its second coefficient", .differentiable = true});
}

Vec3 Camera::local(const Vec3& point) const {
  return rotation_matrix(rotation).transpose() * (point - position);
}

Eigen::Vector2d Camera::project(const Vec3& point) const {
  const Ray ray = ray_to(*this, local(point));
  return {principal_x + focal_length * ray.distortion * ray.x,
          principal_y + focal_length * focal_ratio * ray.distortion * ray.y};
}

void Camera::add_vjp(const Vec3& point, const Eigen::Vector2d& of_pixel, Vec3& of_point) const {
  of_point += rotation_matrix(rotation) * pull_to_local(*this, local(point), of_pixel);
}

void Camera::add_parameter_vjp(const Vec3& point, const Eigen::Vector2d& of_pixel, MutVec dtheta) const {
  const Vec3 at = local(point), of_local = pull_to_local(*this, at, of_pixel);
  const Ray ray = ray_to(*this, at);
  const double x = of_pixel.x() * ray.x, y = of_pixel.y() * ray.y;
  dtheta.segment<3>(0) -= rotation_matrix(rotation) * of_local;
  dtheta.segment<3>(3) += rotation_vjp(rotation, (point - position) * of_local.transpose());
  dtheta[6] += ray.distortion * (x + focal_ratio * y);
  dtheta[7] += focal_length * ray.distortion * y;
  dtheta[8] += of_pixel.x();
  dtheta[9] += of_pixel.y();
  const double radial = focal_length * (x + focal_ratio * y);
  dtheta[10] += radial * ray.r2;
  dtheta[11] += radial * ray.r2 * ray.r2;
}

}  // namespace resilin

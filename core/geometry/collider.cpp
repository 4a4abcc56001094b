#include "core/geometry/collider.hpp"

namespace resilin {

SurfacePoint Collider::at(double t, const Vec3& point) const {
  SurfacePoint out;
  query(t, Eigen::Map<const Mat3X>(point.data(), 3, 1), {&out, 1});
  return out;
}

}  // namespace resilin

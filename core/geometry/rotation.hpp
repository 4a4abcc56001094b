// Rotations given by a rotation vector w: about its direction by its length [rad], right-handed.
#pragma once

#include "core/base/types.hpp"

namespace resilin {

/// R(w) = exp([w]x); smooth everywhere, R(0) = 1.
RESILIN_API Mat3 rotation_matrix(const Vec3& w);
/// (d R/d w)^T z for a cotangent z of the matrix. With J the left Jacobian of exp, d R = [J d w]x R.
RESILIN_API Vec3 rotation_vjp(const Vec3& w, const Mat3& z);
/// The smallest rotation that turns the z axis to `axis`, a unit vector.
RESILIN_API Mat3 turn_z_axis_to(const Vec3& axis);
/// [v]x: [v]x a = v x a.
RESILIN_API Mat3 cross_matrix(const Vec3& v);

}  // namespace resilin

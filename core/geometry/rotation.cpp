#include "core/geometry/rotation.hpp"

#include <cmath>

namespace resilin {
namespace {

/// sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3.
struct Coefficients {
  double first, second, third;
};

Coefficients coefficients(double a) {
  const double a2 = a * a;
  if (a < 0.3) {  // the differences cancel; the terms left out are below 1e-16
    return {1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42 * (1 - a2 / 72 * (1 - a2 / 110)))),
            0.5 * (1 - a2 / 12 * (1 - a2 / 30 * (1 - a2 / 56 * (1 - a2 / 90 * (1 - a2 / 132))))),
            (1 - a2 / 20 * (1 - a2 / 42 * (1 - a2 / 72 * (1 - a2 / 110 * (1 - a2 / 156))))) / 6};
  }
  const double half = std::sin(0.5 * a);
  return {std::sin(a) / a, 2 * half * half / a2, (a - std::sin(a)) / (a2 * a)};
}

}  // namespace

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Mat3 rotation_matrix(const Vec3& w) {
  const Coefficients c = coefficients(w.norm());
  const Mat3 k = cross_matrix(w);
  return Mat3::Identity() + c.first * k + c.second * k * k;
}

Vec3 rotation_vjp(const Vec3& w, const Mat3& z) {
  const Mat3 r = rotation_matrix(w), k = cross_matrix(w);
  Vec3 turn = Vec3::Zero();
  for (Index i = 0; i < 3; ++i) turn += r.col(i).cross(z.col(i));
  const Coefficients c = coefficients(w.norm());
  return turn - c.second * (k * turn) + c.third * (k * (k * turn));
}

Mat3 turn_z_axis_to(const Vec3& axis) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix();
}

}  // namespace resilin

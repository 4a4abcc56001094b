#include "core/model/pose.hpp"

#include <Eigen/Geometry>

namespace resilin {
namespace {

Mat3 turn_of(const Vec3& rotation) {
  const double angle = rotation.norm();
  return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

}  // namespace

Mat3X posed(const InitialOptions& o, const Mat3X& rest) {
  Mat3X x = rest;
  if (o.has_twist) {
    const Vec3 axis = o.twist.axis.normalized();
    for (Index i = 0; i < x.cols(); ++i) {
      const Vec3 r = x.col(i) - o.twist.point;
      x.col(i) = o.twist.point + Eigen::AngleAxisd(o.twist.rate * axis.dot(r), axis) * r;
    }
  }
  if (o.rotation.norm() > 0) {
    const Vec3 center = x.rowwise().mean();
    x = (turn_of(o.rotation) * (x.colwise() - center)).colwise() + center;
  }
  x.colwise() += o.translation;
  return x;
}

Mat3X pull_back_pose(const InitialOptions& o, const Mat3X& rest, const Mat3X& cotangent) {
  Mat3X g = cotangent;
  if (o.rotation.norm() > 0) {  // x' = R x + (I - R) mean(x)
    const Mat3 back = turn_of(o.rotation).transpose();
    const Vec3 mean = g.rowwise().mean();
    g = (back * g).colwise() + (mean - back * mean);
  }
  if (!o.has_twist) return g;
  const Vec3 axis = o.twist.axis.normalized();
  for (Index i = 0; i < g.cols(); ++i) {  // the angle depends on the place too
    const Vec3 r = rest.col(i) - o.twist.point, z = g.col(i);
    const Mat3 turn = Eigen::AngleAxisd(o.twist.rate * axis.dot(r), axis).toRotationMatrix();
    g.col(i) = turn.transpose() * z + o.twist.rate * z.dot(axis.cross(turn * r)) * axis;
  }
  return g;
}

}  // namespace resilin

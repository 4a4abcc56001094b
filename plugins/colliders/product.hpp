// Solids that are products of lower-dimensional ones in orthogonal directions: a box of three intervals, a
// cylinder of a disk and an interval. With q_i the signed distance to factor i in its own directions,
//     d = |max(q, 0)| + min(max_i q_i, 0),
// exact outside and inside: outside the factors that p is beyond add up by Pythagoras, inside the nearest one
// counts.
#pragma once

#include "core/geometry/rigid_collider.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace resilin::colliders {

struct Factor {
  double distance = 0;           ///< q_i [m]
  Vec3 gradient = Vec3::Zero();  ///< a unit vector, orthogonal to those of the others
  Mat3 hessian = Mat3::Zero();   ///< of q_i
  Index feature = 0;             ///< its side that is closest ...
  Index features = 1;            ///< ... of so many
  bool regular = true;
};

/// |x| - half along one axis; at x = 0 the upper side.
inline Factor interval(double x, double half, Index axis) {
  Factor f;
  f.distance = std::abs(x) - half;
  f.gradient[axis] = x < 0 ? -1 : 1;
  f.feature = x < 0 ? 0 : 1;
  f.features = 2;
  f.regular = x != 0;
  return f;
}

template <std::size_t N>
struct Product {
  using Weights = Eigen::Matrix<double, int{N}, 1>;
  std::array<Factor, N> factors;
  LocalPoint point;
  Weights weights;                                  ///< d distance/d q_i
  Eigen::Matrix<double, int{N}, int{N}> curvature;  ///< d weights/d q

  explicit Product(std::array<Factor, N> f) : factors(std::move(f)) {
    weigh();
    Index digits = 1;
    for (std::size_t i = 0; i < N; ++i) {
      const double w = weights[index(i)];
      const Factor& factor = factors[i];
      point.normal = (i == 0 ? Vec3::Zero().eval() : point.normal) + w * factor.gradient;
      point.hessian += w * factor.hessian;
      for (std::size_t j = 0; j < N; ++j)
        point.hessian += curvature(index(i), index(j)) * factor.gradient * factors[j].gradient.transpose();
      // A digit for each factor: 0 where it does not count, else which side of it does.
      if (w > 0) {
        point.feature += digits * (1 + factor.feature);
        point.regular = point.regular && factor.regular;
      }
      digits *= 1 + factor.features;
    }
  }

  /// What the cotangents of distance and normal pull back to at q_i, its gradient staying.
  double distance_cotangent(std::size_t i, double zd, const Vec3& zn) const {
    double z = weights[index(i)] * zd;
    for (std::size_t j = 0; j < N; ++j) z += curvature(index(j), index(i)) * factors[j].gradient.dot(zn);
    return z;
  }
  /// The same at the gradient of q_i.
  Vec3 gradient_cotangent(std::size_t i, const Vec3& zn) const { return weights[index(i)] * zn; }

 private:
  static Index index(std::size_t i) { return static_cast<Index>(i); }
  void weigh() {
    Weights q;
    for (std::size_t i = 0; i < N; ++i) q[index(i)] = factors[i].distance;
    weights.setZero();
    curvature.setZero();
    Index nearest = 0;
    const double largest = q.maxCoeff(&nearest);
    if ((q.array() > 0).count() < 2) {
      point.distance = largest;
      weights[nearest] = 1;
      point.regular = (q.array() == largest).count() == 1;
      return;
    }
    const Weights beyond = q.cwiseMax(0);
    point.distance = beyond.norm();
    weights = beyond / point.distance;
    for (Index i = 0; i < q.size(); ++i)
      if (q[i] > 0) curvature(i, i) = 1 / point.distance;
    curvature -= weights * weights.transpose() / point.distance;
  }
};

}  // namespace resilin::colliders

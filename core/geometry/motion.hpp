// Prescribed motion of held points and of colliders.
#pragma once

#include "core/plugin/registry.hpp"

namespace resilin {

/// Where a point is at time t [s] and how fast it moves; x is its place [m] while nothing moves it. A motion
/// of held points should start with x at t = 0: otherwise the body is pulled to its place within the first
/// step.
class RESILIN_API Motion : public Component {
 public:
  virtual Vec3 position(double t, const Vec3& x) const = 0;
  /// d position / dt [m/s]; at a kink in time the one of what follows.
  virtual Vec3 velocity(double t, const Vec3& x) const = 0;
  /// Size of its part of the parameter table: all differentiable fields in the order of visit_parameters().
  virtual Index num_parameters() const { return 0; }
  /// dtheta += (d position / d theta)^T z
  virtual void add_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const;
  /// dtheta += (d velocity / d theta)^T z
  virtual void add_velocity_param_vjp(double t, const Vec3& x, const Vec3& z, MutVec dtheta) const;
  /// (d position / d x)^T z
  virtual Vec3 pull_back(double t, const Vec3& x, const Vec3& z) const = 0;
  /// (d velocity / d x)^T z
  virtual Vec3 pull_back_velocity(double t, const Vec3& x, const Vec3& z) const = 0;
};
RESILIN_KIND(Motion, "motion");

}  // namespace resilin

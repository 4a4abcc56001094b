// Signals: numbers that change in time, for fields to follow.
#pragma once

#include "core/plugin/registry.hpp"

namespace resilin {

/// s(t; theta), of any unit. Fields of the scene follow signals by name (FieldDrive): before a run each of
/// their entries is set from s at the start of its time step, and the gradient of these entries is pulled
/// back to theta afterwards, so what follows a signal needs to know nothing of it.
class RESILIN_API Signal : public Component {
 public:
  virtual double value(double t) const = 0;  ///< at t >= 0 [s]
  /// Size of its part of the parameter table: all differentiable fields in the order of visit_parameters().
  virtual Index num_parameters() const = 0;
  /// dtheta += z ds/dtheta at t
  virtual void add_param_vjp(double t, double z, MutVec dtheta) const = 0;
};
RESILIN_KIND(Signal, "signal");

}  // namespace resilin

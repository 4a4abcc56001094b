// Closed-loop control: sensors look at the state, a controller turns what they see into control values.
#pragma once

#include "core/base/state.hpp"
#include "core/plugin/registry.hpp"

namespace resilin {

/// Some numbers s(x, v, t) that a controller sees.
class RESILIN_API Sensor : public Component {
 public:
  virtual Index size() const = 0;
  /// Writes s; `out` has size() entries.
  virtual void read(const State& state, MutVec out) const = 0;
  /// For a cotangent z of s: dx += (ds/dx)^T z, dv += (ds/dv)^T z.
  virtual void add_vjp(const State& state, ConstVec z, MutVec dx, MutVec dv) const = 0;
};
RESILIN_KIND(Sensor, "sensor");

/// A differentiable function y = pi(s; theta) from what the sensors see at the start of a step to the outputs
/// that drive parameters during it.
class RESILIN_API Controller : public Component {
 public:
  /// Called once before all else: sizes the weights. Throws Error(Input) if it was made for another number of
  /// inputs or outputs, or its weights do not fit them.
  virtual void attach(Index inputs, Index outputs) = 0;
  /// Writes y.
  virtual void evaluate(ConstVec s, MutVec y) const = 0;
  virtual Index num_parameters() const { return 0; }
  /// For a cotangent z of y: ds += (dy/ds)^T z, dtheta += (dy/dtheta)^T z.
  virtual void add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const = 0;
};
RESILIN_KIND(Controller, "controller");

}  // namespace resilin

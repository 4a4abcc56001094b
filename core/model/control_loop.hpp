// One entry of the scene's `controllers`: what it sees, its law, and the parameters that it drives.
#pragma once

#include "core/control/controller.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin {

/// A number of the parameter vector that takes offset + gain * y[output] during a step.
struct ControlDrive {
  Index parameter = 0;  ///< in theta
  Index output = 0;     ///< of the controller
  double gain = 1, offset = 0;
  double min = 0, max = 0;  ///< range of the parameter
  bool open = false;        ///< its ends excluded
  std::string path;         ///< "bodies.fish.materials[1].activation[3]"
};

/// s = sensors(x, v, t), y = law(s), controls[k] = offset_k + gain_k y[output_k].
struct RESILIN_API ControlLoop {
  std::string path;  ///< "controllers.swim"
  std::vector<std::unique_ptr<Sensor>> sensors;
  std::unique_ptr<Controller> law;
  std::vector<ControlDrive> drives;
  Index num_inputs = 0, num_outputs = 0;
  Index first_control = 0;     ///< of its drives among the controls of the system
  Index parameter_offset = 0;  ///< of the law's parameters in theta

  VecX sense(const State& state) const;
  /// Writes the controls of its drives. Throws Error(Numerics) naming the parameter if one is not finite or
  /// outside the parameter's range.
  void evaluate(const State& state, MutVec controls) const;
  /// For a cotangent of these controls: adds to that of the state, and of the law's parameters.
  void add_vjp(const State& state, ConstVec controls, MutVec dx, MutVec dv, MutVec dtheta) const;
};

}  // namespace resilin

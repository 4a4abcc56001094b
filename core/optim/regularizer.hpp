// What is known of a task's variable beforehand, as a function of its values alone.
#pragma once

#include "core/plugin/registry.hpp"

namespace resilin {

/// The variable as the optimizer sees it: u holds the values, or their natural logarithms if log_scale.
struct RegularizedVariable {
  Index size = 0;
  bool log_scale = false;
  VecX start;  ///< first guess, in the scale of u
};

/// R(u), added to the losses of a task with its own weight. The context of the constructor has the mesh of
/// the body that the parameter belongs to, if it belongs to one.
class RESILIN_API Regularizer : public Component {
 public:
  /// Called once before all else; throws Error(Input) if it cannot be applied to such a variable.
  virtual void attach(const RegularizedVariable& variable) = 0;
  virtual double value(ConstVec u) const = 0;
  /// gradient += dR/du
  virtual void add_gradient(ConstVec u, MutVec gradient) const = 0;
};
RESILIN_KIND(Regularizer, "regularizer");

}  // namespace resilin

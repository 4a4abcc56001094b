// Losses over a trajectory.
#pragma once

#include "core/solve/integrator.hpp"

#include <memory>
#include <vector>

namespace resilin {

/// What a loss remembers of one trajectory while its frames pass by. Trajectories are not kept: they may be
/// far larger than the memory, and are then computed piece by piece once more on the way back.
class RESILIN_API LossPass {
 public:
  LossPass() = default;
  LossPass(const LossPass&) = delete;
  LossPass& operator=(const LossPass&) = delete;
  virtual ~LossPass();
  /// Frames 0 (the initial state) to the last, in this order.
  virtual void observe(Index k, const State& s) = 0;
  virtual double value() const = 0;  ///< once all frames have been observed
  /// a.x += weight dL/dx_k, a.v += weight dL/dv_k; s is frame k again, all frames have been observed.
  virtual void add_gradient(Index k, const State& s, double weight, Adjoint& a) const = 0;
  /// dtheta += weight times the part of dL/dtheta that comes in at frame k, theta the loss's own parameters.
  /// Called beside add_gradient for the losses that have some.
  virtual void add_parameter_gradient(Index /*k*/, const State&, double /*weight*/, MutVec /*dtheta*/) const {
  }
};

/// A real function of the states at the ends of the scene's steps, with its derivative frame by frame.
class RESILIN_API Loss : public Component {
 public:
  /// `last`: number of the last frame. The pass refers to the loss.
  virtual std::unique_ptr<LossPass> begin(Index last) const = 0;
  /// How many numbers its differentiable parameters (visit_parameters) have.
  virtual Index num_parameters() const { return 0; }

  /// True if it compares with the trajectory of the scene as it is written; that is then simulated once and
  /// shown to observe_reference(), frame by frame, before anything else.
  virtual bool needs_reference() const { return false; }
  virtual void observe_reference(Index /*k*/, Index /*last*/, const State&) {}
};
RESILIN_KIND(Loss, "loss");

}  // namespace resilin

// Losses over a trajectory.
#pragma once

#include "core/solve/integrator.hpp"

#include <vector>

namespace resilin {

/// The states at the ends of the scene's steps; frame 0 is the initial state.
class RESILIN_API Trajectory {
 public:
  explicit Trajectory(const Tape& tape) : tape_(tape) {}
  Index num_frames() const { return static_cast<Index>(tape_.frames.size()); }
  const State& frame(Index k) const {
    return tape_.states[static_cast<std::size_t>(tape_.frames[static_cast<std::size_t>(k)])];
  }

 private:
  const Tape& tape_;
};

/// A real function of the trajectory, with its derivative frame by frame.
class RESILIN_API Loss : public Component {
 public:
  virtual double value(const Trajectory& t) const = 0;
  /// a.x += weight dL/dx, a.v += weight dL/dv at frame k.
  virtual void add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const = 0;

  /// True if it compares with the trajectory of the scene as it is written; that is then simulated once and
  /// given to set_reference() before anything else.
  virtual bool needs_reference() const { return false; }
  virtual void set_reference(std::vector<State> /*frames*/) {}
};
RESILIN_KIND(Loss, "loss");

}  // namespace resilin

// Losses that are a sum over frames.
#pragma once

#include "core/optim/loss.hpp"

namespace resilin {

/// L = sum over the frames k that count of l_k(x_k, v_k); other losses can weigh the l_k in their own way.
class RESILIN_API FrameLoss : public Loss {
 public:
  std::unique_ptr<LossPass> begin(Index last) const final;

  /// `last`: number of the last frame.
  virtual bool counts(Index k, Index last) const = 0;
  virtual double frame_value(const State& s, Index k) const = 0;
  /// a.x += weight dl_k/dx, a.v += weight dl_k/dv
  virtual void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const = 0;
  /// dtheta += weight dl_k/dtheta
  virtual void add_frame_parameter_gradient(const State&, Index /*k*/, double /*weight*/,
                                            MutVec /*dtheta*/) const {}
};

}  // namespace resilin

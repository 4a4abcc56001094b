// L = sum_i a_i . x_i + b_i . v_i at the last frame: the plainest loss that sees every coordinate.
#pragma once

#include "core/optim/frame_loss.hpp"

namespace resilin {

class LinearFunctional final : public FrameLoss {
 public:
  struct Options {
    Field positions{Vec3(1, 1, 1)};
    Field velocities{Vec3(0, 0, 0)};
    void visit(ParamVisitor& v);
  };
  LinearFunctional(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override { return k == last; }
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  VecX a_, b_;
};

}  // namespace resilin

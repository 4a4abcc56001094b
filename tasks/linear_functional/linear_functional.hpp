// L = sum_i a_i . x_i + b_i . v_i at the last frame: the plainest loss that sees every coordinate.
#pragma once

#include "core/optim/loss.hpp"

namespace resilin {

class LinearFunctional final : public Loss {
 public:
  struct Options {
    Field positions{Vec3(1, 1, 1)};
    Field velocities{Vec3(0, 0, 0)};
    void visit(ParamVisitor& v);
  };
  LinearFunctional(const Options& options, const BuildContext& context);

  double value(const Trajectory& t) const override;
  void add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const override;

 private:
  VecX a_, b_;
};

}  // namespace resilin

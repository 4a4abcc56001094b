// L = 1/b log sum_k exp(b l_k) over the frames k that count in another loss, l_k its part of each: between
// the largest l_k and that plus log(number of frames)/b. b [1/unit of l] is the sharpness.
#pragma once

#include "core/optim/frame_loss.hpp"

#include <memory>
#include <vector>

namespace resilin {

class SmoothMaximum final : public Loss {
 public:
  struct Options {
    ComponentSpec loss;
    double sharpness = 1;
    void visit(ParamVisitor& v);
  };
  SmoothMaximum(const Options& options, const BuildContext& context);

  double value(const Trajectory& t) const override;
  /// Looks at all frames each time: the weight of one, exp(b (l_k - L)), depends on all.
  void add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const override;
  bool needs_reference() const override { return inner_->needs_reference(); }
  void set_reference(std::vector<State> frames) override { inner_->set_reference(std::move(frames)); }

 private:
  double sharpness_;
  std::unique_ptr<FrameLoss> inner_;
};

}  // namespace resilin

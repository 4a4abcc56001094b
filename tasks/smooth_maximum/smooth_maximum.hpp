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

  std::unique_ptr<LossPass> begin(Index last) const override;
  Index num_parameters() const override { return inner_->num_parameters(); }
  void visit_parameters(ParamVisitor& v) override {
    v.section("loss", [&](ParamVisitor& w) { inner_->visit_parameters(w); },
              {.doc = "parameters of the loss"});
  }
  void parameters_changed() override { inner_->parameters_changed(); }
  bool needs_reference() const override { return inner_->needs_reference(); }
  void observe_reference(Index k, Index last, const State& s) override {
    inner_->observe_reference(k, last, s);
  }

 private:
  double sharpness_;
  std::unique_ptr<FrameLoss> inner_;
};

}  // namespace resilin

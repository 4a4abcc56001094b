#include "core/optim/frame_loss.hpp"

namespace resilin {
namespace {

class Sum final : public LossPass {
 public:
  Sum(const FrameLoss& loss, Index last) : loss_(loss), last_(last) {}
  void observe(Index k, const State& s) override {
    if (loss_.counts(k, last_)) sum_ += loss_.frame_value(s, k);
  }
  double value() const override { return sum_; }
  void add_gradient(Index k, const State& s, double weight, Adjoint& a) const override {
    if (loss_.counts(k, last_)) loss_.add_frame_gradient(s, k, weight, a);
  }
  void add_parameter_gradient(Index k, const State& s, double weight, MutVec dtheta) const override {
    if (loss_.counts(k, last_)) loss_.add_frame_parameter_gradient(s, k, weight, dtheta);
  }

 private:
  const FrameLoss& loss_;
  Index last_;
  double sum_ = 0;
};

}  // namespace

LossPass::~LossPass() = default;

std::unique_ptr<LossPass> FrameLoss::begin(Index last) const {
  return std::make_unique<Sum>(*this, last);
}

}  // namespace resilin

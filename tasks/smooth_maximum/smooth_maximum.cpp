#include "tasks/smooth_maximum/smooth_maximum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {
namespace {

class Pass final : public LossPass {
 public:
  Pass(const FrameLoss& loss, double sharpness, Index last)
      : loss_(loss), sharpness_(sharpness), last_(last) {}
  void observe(Index k, const State& s) override {
    if (loss_.counts(k, last_)) parts_.push_back(loss_.frame_value(s, k));
  }
  double value() const override {
    if (parts_.empty()) throw Error(Errc::Internal, "smooth maximum of no frames");
    const double largest = *std::max_element(parts_.begin(), parts_.end());
    double sum = 0;
    for (const double part : parts_) sum += std::exp(sharpness_ * (part - largest));
    return largest + std::log(sum) / sharpness_;
  }
  /// The weight of a frame, its share exp(b (l_k - L)), depends on all.
  void add_gradient(Index k, const State& s, double weight, Adjoint& a) const override {
    if (loss_.counts(k, last_)) loss_.add_frame_gradient(s, k, weight * share(k, s), a);
  }
  void add_parameter_gradient(Index k, const State& s, double weight, MutVec dtheta) const override {
    if (loss_.counts(k, last_)) loss_.add_frame_parameter_gradient(s, k, weight * share(k, s), dtheta);
  }

 private:
  double share(Index k, const State& s) const {
    return std::exp(sharpness_ * (loss_.frame_value(s, k) - value()));
  }

  const FrameLoss& loss_;
  double sharpness_;
  Index last_;
  std::vector<double> parts_;
};

}  // namespace

void SmoothMaximum::Options::visit(ParamVisitor& v) {
  v.component("loss", "loss", loss, {.doc = "loss whose parts of each frame are compared", .required = true});
  v.real(
      "sharpness", sharpness,
      {.doc = "b in log(sum exp(b l)) / b, over the unit of the loss: the larger, the closer to the maximum",
       .min = 0,
       .open = true});
}

SmoothMaximum::SmoothMaximum(const Options& options, const BuildContext& context)
    : sharpness_(options.sharpness) {
  BuildContext child = context;
  child.path = options.loss.path;
  child.place = options.loss.place;
  auto made = context.registry->make<Loss>(options.loss, child);
  inner_.reset(dynamic_cast<FrameLoss*>(made.get()));
  if (inner_ == nullptr)
    throw context.input_error(
        "loss", fmt::format("'{}' is no sum over frames, so that it has no largest part", options.loss.type));
  (void)made.release();
}

std::unique_ptr<LossPass> SmoothMaximum::begin(Index last) const {
  return std::make_unique<Pass>(*inner_, sharpness_, last);
}

}  // namespace resilin

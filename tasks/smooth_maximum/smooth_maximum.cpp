#include "tasks/smooth_maximum/smooth_maximum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace resilin {

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

double SmoothMaximum::value(const Trajectory& t) const {
  std::vector<double> parts;
  for (Index k = 0; k < t.num_frames(); ++k)
    if (inner_->counts(k, t.num_frames() - 1)) parts.push_back(inner_->frame_value(t.frame(k), k));
  if (parts.empty()) throw Error(Errc::Internal, "smooth maximum of no frames");
  const double largest = *std::max_element(parts.begin(), parts.end());
  double sum = 0;
  for (const double part : parts) sum += std::exp(sharpness_ * (part - largest));
  return largest + std::log(sum) / sharpness_;
}

void SmoothMaximum::add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const {
  if (!inner_->counts(k, t.num_frames() - 1)) return;
  const double share = std::exp(sharpness_ * (inner_->frame_value(t.frame(k), k) - value(t)));
  inner_->add_frame_gradient(t.frame(k), k, weight * share, a);
}

}  // namespace resilin

#include "core/optim/frame_loss.hpp"

namespace resilin {

double FrameLoss::value(const Trajectory& t) const {
  double sum = 0;
  for (Index k = 0; k < t.num_frames(); ++k)
    if (counts(k, t.num_frames() - 1)) sum += frame_value(t.frame(k), k);
  return sum;
}

void FrameLoss::add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const {
  if (counts(k, t.num_frames() - 1)) add_frame_gradient(t.frame(k), k, weight, a);
}

}  // namespace resilin

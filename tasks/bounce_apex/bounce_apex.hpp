// L = 1/2 |c - c_target|^2 [m^2] in the given axes, c where the centre of a selection is highest after its
// n-th bounce. With the unit vector `up` and the velocity v of the centre at the frames:
//   a bounce lies between two frames with v.up <= 0 before and > 0 after;
//   the apex lies between two frames a, b with v.up > 0 at a and <= 0 at b, the first such after the n-th
//   bounce (after the start for n = 0), where the velocity interpolated between the frames has no part along
//   up, on the parabola through both centres with the acceleration (v_b - v_a) / h, h the time step:
//     s = v_a.up / (v_a.up - v_b.up),  c = (1 - s) c_a + s c_b + s (1 - s) h (v_a - v_b) / 2.
//
// So c is a function of the states at two frames, and continuous where the apex passes from one pair of
// frames to the next. If the body is in free flight there, whose acceleration is the same in both steps, its
// gradient is continuous too.
// What may jump is the number of bounces: a body that flies longer may not have its n-th any more. Then there
// is no apex, which is Error(Numerics): an optimizer steps back from there.
#pragma once

#include "tasks/selection.hpp"

namespace resilin {

class BounceApex final : public Loss {
 public:
  struct Options {
    NodeSelection selection;
    std::string of = "center_of_mass";
    Index bounces = 1;
    Vec3 target = Vec3::Zero();
    std::vector<std::string> axes{"x", "y", "z"};
    Vec3 up = Vec3::UnitZ();
    void visit(ParamVisitor& v);
  };
  BounceApex(const Options& options, const BuildContext& context);
  std::unique_ptr<LossPass> begin(Index last) const override;

 private:
  class Pass;

  Options options_;
  NodeMean mean_;
  Vec3 axes_, up_;
  double time_step_;  ///< h
};

}  // namespace resilin

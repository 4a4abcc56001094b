// Apex angle of a cone that hangs from a point, such as a dress that turns:
//     L = 1/(K N) sum over K frames and N selected vertices of (2 phi_i - target)^2,   phi_i = atan2(r_i,
//     h_i),
// r_i [m] the distance of the vertex from the axis through the apex, h_i [m] how far it lies below the apex
// along the axis. phi is pi/2 at the height of the apex, and has no derivative on the axis itself, where that
// of r is taken as zero.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class ApexAngle final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    Vec3 apex = Vec3::Zero(), up = Vec3::UnitZ();
    double target = 1.7453292519943295;  // 100 degrees
    std::vector<Index> frames;
    void visit(ParamVisitor& v);
  };
  ApexAngle(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  struct Place {
    double height = 0, radius = 0;
    Vec3 outward = Vec3::Zero();  ///< unit vector away from the axis
  };
  Place place(const State& s, Index node) const;
  double excess(const Place& p) const;  ///< 2 phi - target

  Options options_;
  std::vector<Index> nodes_;
  Vec3 up_;
  double share_ = 1;  ///< 1/(K N)
};

}  // namespace resilin

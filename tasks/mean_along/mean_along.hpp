// L = sum over frames of d . q, q the mean position [m] or velocity [m/s] of the selected vertices, each of
// them counted alike or by the volume around it (of the rest mesh: then q is that of the centre of mass of a
// selection of uniform density). The direction d is taken as it is: [-1, 0, 0] rewards the way along x.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class MeanAlong final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    std::string of = "center_of_mass", quantity = "position";
    Vec3 direction{1, 0, 0};
    std::vector<Index> frames;
    void visit(ParamVisitor& v);
  };
  MeanAlong(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  Options options_;
  std::vector<Index> nodes_;
  VecX weights_;  ///< of the mean, one per selected vertex
  bool velocity_ = false;
};

}  // namespace resilin

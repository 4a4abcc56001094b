// L = sum over frames of  -v_c . e + w |v_c x e|^2  [m/s]: how fast the centre of a selection moves along the
// unit vector e, less a penalty of its sideways velocity. v_c is the mean velocity of the selected vertices
// (centroid) or that weighted by the volume around each (center_of_mass). A swimmer that keeps its course.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class ForwardVelocity final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    std::string of = "centroid";
    Vec3 direction = Vec3::UnitX();
    double sideways_weight = 0;
    std::vector<Index> frames;
    void visit(ParamVisitor& v);
  };
  ForwardVelocity(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  Options options_;
  NodeMean mean_;
  Vec3 direction_;  ///< e
};

}  // namespace resilin

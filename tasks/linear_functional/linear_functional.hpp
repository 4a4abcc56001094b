// L = sum over frames of sum_i a_i . x_i + b_i . v_i over the selected vertices: the plainest loss that sees
// every coordinate. Of a centre it is a . x_c + b . v_c, x_c the mean of the selected vertices (centroid) or
// the mean weighted by the volume around each of the rest mesh (center_of_mass): with a = (-1, 0, 0), how far
// it gets along x.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class LinearFunctional final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    std::string of = "points";
    Field positions{Vec3(1, 1, 1)};
    Field velocities{Vec3(0, 0, 0)};
    std::vector<Index> frames;
    void visit(ParamVisitor& v);
  };
  LinearFunctional(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  std::vector<Index> frames_;
  VecX a_, b_;  ///< of all vertices
};

}  // namespace resilin

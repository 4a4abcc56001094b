// L = 1/2 sum over frames and points of |q - q_target|^2 in the given axes, or, with `average`, their mean
// 1/(K N) sum over K frames and N points; q the position [m] or velocity [m/s] of
//   points: each selected vertex;
//   centroid: their mean;
//   center_of_mass: their mean weighted by the volume around each (of the rest mesh): the centre of mass of a
//     selection of uniform density.
// Targets of positions are places, or displacements of the rest shape: with one for all, the shape itself,
// moved.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class ReachTarget final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    std::string of = "points";
    std::string quantity = "position";
    Field target{Vec3(0, 0, 0)};
    std::string relative_to = "origin";
    std::vector<std::string> axes{"x", "y", "z"};
    std::vector<Index> frames;
    Index every = 0;
    bool average = false;
    void visit(ParamVisitor& v);
  };
  ReachTarget(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  void find_rest(const BuildContext& context);
  Vec3 target(Index point, Index k) const;

  Options options_;  ///< with the frames that `every` means
  NodeMean mean_;
  Vec3 axes_;  ///< 1 for those that count
  bool points_ = true, velocity_ = false;
  Mat3X rest_;           ///< places in the rest mesh that targets are added to, of each point; empty: none
  double factor_ = 0.5;  ///< on the sum of squares
};

}  // namespace resilin

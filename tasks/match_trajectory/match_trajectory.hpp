// L = 1/2 sum over frames k and selected vertices of |x - x_ref|^2 (+ w_v |v - v_ref|^2): the distance to a
// recorded trajectory, or to that of the scene with its own parameters. Every n-th step counts, or the frames
// that are named (keyframes).
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class MatchTrajectory final : public FrameLoss {
 public:
  struct Options {
    std::string file;
    NodeSelection selection;
    Index every = 1;
    std::vector<Index> frames;
    double velocity_weight = 0;
    void visit(ParamVisitor& v);
  };
  MatchTrajectory(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;
  bool needs_reference() const override { return options_.file.empty(); }
  void observe_reference(Index k, Index last, const State& s) override;

 private:
  void read_reference(const BuildContext& context);

  Options options_;
  std::vector<Index> nodes_;
  std::vector<State> reference_;
};

}  // namespace resilin

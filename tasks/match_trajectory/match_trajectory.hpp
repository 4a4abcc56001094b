// L = 1/2 sum over frames k and selected vertices of |x - x_ref|^2 (+ w_v |v - v_ref|^2), or, with `average`,
// their mean 1/(K N) sum over K frames and N vertices: the distance to a recorded trajectory, to recorded
// places such as motion capture, or to the trajectory of the scene with its own parameters. Every n-th step
// counts, or the frames that are named (keyframes).
#pragma once

#include "core/optim/frame_loss.hpp"
#include "core/output/point_recording.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class MatchTrajectory final : public FrameLoss {
 public:
  struct Options {
    std::string file;
    bool has_recording = false;
    RecordingOptions recording;
    NodeSelection selection;
    Index every = 1;
    std::vector<Index> frames;
    double velocity_weight = 0;
    bool average = false;
    void visit(ParamVisitor& v);
  };
  MatchTrajectory(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;
  bool needs_reference() const override { return options_.file.empty() && !options_.has_recording; }
  void observe_reference(Index k, Index last, const State& s) override;

 private:
  void read_reference(const BuildContext& context);
  void read_recording(const BuildContext& context);

  Options options_;
  std::vector<Index> nodes_;
  std::vector<State> reference_;
  double factor_ = 0.5;  ///< on the sum of squares
};

}  // namespace resilin

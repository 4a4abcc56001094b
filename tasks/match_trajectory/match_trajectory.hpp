// L = 1/2 sum over frames k >= 1 and selected vertices of |x - x_ref|^2 (+ w_v |v - v_ref|^2): the distance
// to a recorded trajectory, or to that of the scene with its own parameters.
#pragma once

#include "core/mesh/selector.hpp"
#include "core/optim/loss.hpp"

namespace resilin {

class MatchTrajectory final : public Loss {
 public:
  struct Options {
    std::string file;
    std::string body;
    Selector nodes;
    Index every = 1;
    double velocity_weight = 0;
    void visit(ParamVisitor& v);
  };
  MatchTrajectory(const Options& options, const BuildContext& context);

  double value(const Trajectory& t) const override;
  void add_gradient(const Trajectory& t, Index k, double weight, Adjoint& a) const override;
  bool needs_reference() const override { return options_.file.empty(); }
  void set_reference(std::vector<State> frames) override { reference_ = std::move(frames); }

 private:
  bool counts(Index k) const;

  Options options_;
  std::vector<Index> nodes_;
  std::vector<State> reference_;
};

}  // namespace resilin

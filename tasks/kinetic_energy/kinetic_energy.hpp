// L = sum over frames of 1/2 sum_i m_i |v_i - v_ref|^2 [J], m_i = density times the volume around vertex i of
// the rest mesh. The density is a constant of the loss: its gradient does not go through the body's own.
#pragma once

#include "core/optim/frame_loss.hpp"
#include "tasks/selection.hpp"

namespace resilin {

class KineticEnergy final : public FrameLoss {
 public:
  struct Options {
    NodeSelection selection;
    double density = 1000;
    Vec3 reference_velocity = Vec3::Zero();
    std::vector<Index> frames;
    void visit(ParamVisitor& v);
  };
  KineticEnergy(const Options& options, const BuildContext& context);

  bool counts(Index k, Index last) const override;
  double frame_value(const State& s, Index k) const override;
  void add_frame_gradient(const State& s, Index k, double weight, Adjoint& a) const override;

 private:
  Options options_;
  std::vector<Index> nodes_;
  VecX mass_;  ///< [kg], one per selected vertex
};

}  // namespace resilin

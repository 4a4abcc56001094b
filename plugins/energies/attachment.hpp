// Soft attachment of vertices to targets: E = sum_i k_i/2 |x_i - t_i|^2. The target is
//     t_i = m(t, X_i + o_i(t)),
// X_i the vertex in the rest mesh, where it is in a recording (motion capture) at time t, or the origin; o_i
// an offset that is constant, per time step, or linear in time between key frames and constant before the
// first and after the last; m a motion, if there is one: a path, a turn. t is the end of the step. After the
// time of release the energy is zero. Targets that move do work on the body. Quadratic in x: one step of
// Projective Dynamics minimises it.
#pragma once

#include "core/energy/energy.hpp"
#include "core/energy/key_times.hpp"
#include "core/geometry/motion.hpp"
#include "core/mesh/selector.hpp"
#include "core/output/point_recording.hpp"

#include <limits>
#include <memory>
#include <optional>

namespace resilin {

class Attachment final : public Energy {
 public:
  struct Options {
    std::string body;
    Selector nodes;
    Field stiffness{1e3};
    std::string relative_to = "rest";
    Field offset{Vec3(0, 0, 0)};
    VecX key_times;
    bool has_recording = false;
    RecordingOptions recording;
    ComponentSpec motion;
    double release = std::numeric_limits<double>::infinity();
    void visit(ParamVisitor& v);
  };
  Attachment(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override;
  void parameters_changed() override {
    if (motion_) motion_->parameters_changed();
  }
  double value(const StepContext& c, ConstVec x, Workspace& ws) const override;
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override;
  void add_pattern(BlockPattern&) const override {}  // no pairs: the diagonal is always there
  void add_hessian(const StepContext& c, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace& ws) const override;
  void add_quadratic_form(Triplets& a) const override;
  bool is_projective() const override { return true; }
  Index num_parameters() const override {
    return options_.stiffness.size() + options_.offset.size() + (motion_ ? motion_->num_parameters() : 0);
  }
  void add_param_vjp(const StepContext& c, ConstVec x, ConstVec z, MutVec out, Workspace& ws) const override;
  /// Offsets that are constant as written may be driven: grippers under control.
  bool drive(Index parameter, Index control) override;

 private:
  /// What places depend on beside the number of the vertex.
  struct Moment {
    double time = 0;
    KeyBlend offsets, frames;
    const VecX* controls = nullptr;
  };
  Moment moment(const StepContext& c) const;
  bool is_released(const StepContext& c) const;
  Vec3 offset(Index i, const Moment& m) const;           ///< o_i
  Vec3 unmoved(Index i, const Moment& m) const;          ///< X_i + o_i
  Vec3 gap(Index i, const Moment& m, ConstVec x) const;  ///< x_i - t_i

  Options options_;
  std::vector<Index> nodes_;  ///< among all nodes
  Mat3X base_;                ///< X_i, or zero; not with a recording
  std::vector<int> control_;  ///< that drives each number of the offset, or -1; empty: none
  std::optional<PointRecording> recording_;
  std::unique_ptr<Motion> motion_;
};

}  // namespace resilin

// The wind of [Li et al. 2022, DiffCloth]: the same force on every vertex, whatever its mass or area,
//     f_i(t) = w(t) d_i F,
// F the force [N]; the whole force on a body grows with its number of vertices. t is the END of the step, and
//     constant:  w = 1
//     sinusoid:  w = (sin(omega t + phi) + 1)/2, between 0 and 1
//     steps:     w = factors, one for each time step, or through key times
// d_i = 1, or with a falloff min(L/|X_i - c|, 1): X_i the vertex in the rest mesh, c a centre, and L the
// distance up to which the wind is full. For a wind that pushes areas see `wind`.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

namespace resilin {

class VertexWind final : public Force {
 public:
  struct Falloff {
    Vec3 center = Vec3::Zero();
    double distance = 1;
    void visit(ParamVisitor& v);
  };
  struct Options {
    std::string body;
    Selector nodes;
    Vec3 force = Vec3(0, 0, 0.001);
    std::string strength = "constant";
    double angular_frequency = 10, phase = 0;
    Field factors{1.0};
    VecX key_times;
    bool has_falloff = false;
    Falloff falloff;
    void visit(ParamVisitor& v);
  };
  VertexWind(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return kFactors + options_.factors.size(); }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  /// Where each parameter begins, in the order of the options.
  enum Parameter : int { kForce = 0, kFrequency = 3, kPhase = 4, kFactors = 5 };
  double strength(const StepContext& c) const;  ///< w

  Options options_;
  std::vector<Index> nodes_;  ///< of the system
  VecX decay_;                ///< d_i of each of them
};

}  // namespace resilin

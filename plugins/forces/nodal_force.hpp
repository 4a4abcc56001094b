// Given forces at selected vertices: f_i(t) = F_i, constant, per time step (F[k][i]) or linear between key
// times.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

namespace resilin {

class NodalForce final : public Force {
 public:
  struct Options {
    std::string body;
    Selector nodes;
    Field force{Vec3(0, 0, 0)};
    VecX key_times;
    bool per_vertex = false;
    void visit(ParamVisitor& v);
  };
  NodalForce(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return options_.force.size(); }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  Options options_;
  std::vector<Index> nodes_;
};

}  // namespace resilin

// Pressure p [Pa] on faces of a body's surface that goes with them: f_c = -p int N_c n dA over the positions
// that the step starts from (triangles: linear N_c, quads: bilinear), positive p pushes inwards. On a closed
// surface f = -p dV/dx of the enclosed volume V, so that total force and moment vanish.
#pragma once

#include "core/energy/energy.hpp"
#include "core/mesh/selector.hpp"

namespace resilin {

class Pressure final : public Force {
 public:
  struct Options {
    std::string body;
    Selector faces;
    Field pressure{0.0};
    VecX key_times;
    void visit(ParamVisitor& v);
  };
  Pressure(const Options& options, const BuildContext& context);

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext& c, ConstVec x, ConstVec v, MutVec f) const override;
  Index num_parameters() const override { return options_.pressure.size(); }
  void add_vjp(const StepContext& c, ConstVec x, ConstVec v, ConstVec z, MutVec dx, MutVec dv,
               MutVec dtheta) const override;

 private:
  Options options_;
  Mesh::Elements faces_;  ///< nodes of the system, 3 or 4 per face, outward oriented
};

}  // namespace resilin

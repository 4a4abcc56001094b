// y = W s + b: a PD controller if s has positions and velocities. `weights` are W row by row, then b.
#pragma once

#include "core/control/controller.hpp"

namespace resilin {

class Affine final : public Controller {
 public:
  struct Options {
    Field weights;
    Index inputs = 0;
    void visit(ParamVisitor& v);
  };
  Affine(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void attach(Index inputs, Index outputs) override;
  void evaluate(ConstVec s, MutVec y) const override;
  Index num_parameters() const override { return options_.weights.size(); }
  void add_vjp(ConstVec s, ConstVec z, MutVec ds, MutVec dtheta) const override;

 private:
  Options options_;
};

}  // namespace resilin

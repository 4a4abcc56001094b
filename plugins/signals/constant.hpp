// s = c.
#pragma once

#include "core/energy/signal.hpp"

namespace resilin::signals {

class Constant final : public Signal {
 public:
  struct Options {
    double value = 1;
    void visit(ParamVisitor& v) { v.real("value", value, {.doc = "the value", .differentiable = true}); }
  };
  Constant(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(double) const override { return options_.value; }
  Index num_parameters() const override { return 1; }
  void add_param_vjp(double, double z, MutVec dtheta) const override { dtheta[0] += z; }

 private:
  Options options_;
};

}  // namespace resilin::signals

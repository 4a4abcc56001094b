// s(t) = c + A sin(2 pi f t + phi).
#pragma once

#include "core/energy/signal.hpp"

namespace resilin::signals {

class Sinusoid final : public Signal {
 public:
  struct Options {
    double amplitude = 1, frequency = 1, phase = 0, offset = 0;
    void visit(ParamVisitor& v);
  };
  Sinusoid(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(double t) const override;
  Index num_parameters() const override { return 4; }
  void add_param_vjp(double t, double z, MutVec dtheta) const override;

 private:
  double angle(double t) const;
  Options options_;
};

}  // namespace resilin::signals

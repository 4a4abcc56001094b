// The second backward difference formula: v+ = (3 x+ - 4 x_n + x_n-1)/(2 h), likewise for the acceleration.
// Second order, A- and L-stable: far less damping than implicit Euler at the same cost. Forces without a
// potential are taken at the extrapolation 2 s_n - s_n-1 of the state. The first step, and one whose length
// differs from that of the step before it (a halved one), is implicit Euler's, which costs no order if it
// happens rarely.
#pragma once

#include "core/solve/integrator.hpp"

namespace resilin {

class Bdf2 final : public Integrator {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  Bdf2(const Options&, const BuildContext&) {}

  bool takes_contact() const override { return true; }
  void step(const StepTools& tools, const StepContext& context, Tape& tape) const override;
  SolveReport backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                       std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const override;
};

}  // namespace resilin

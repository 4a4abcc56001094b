// Implicit Euler: M (x+ - x - h v)/h^2 - M g - f(x, v) + grad E(x+) = 0, v+ = (x+ - x)/h (METHODS 1). First
// order; forces without a potential are taken at the start of the step.
#pragma once

#include "core/solve/integrator.hpp"

namespace resilin {

class ImplicitEuler final : public Integrator {
 public:
  struct Options {
    void visit(ParamVisitor&) {}
  };
  ImplicitEuler(const Options&, const BuildContext&) {}

  bool takes_contact() const override { return true; }
  void step(const StepTools& tools, const StepContext& context, Tape& tape) const override;
  SolveReport backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                       std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const override;
};

}  // namespace resilin

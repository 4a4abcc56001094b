// Quasi-static equilibrium: grad E(x+) = s (M g + f), v+ = 0, with the load factor s = min(1, k / load_steps)
// at step k of the scene; pins may move. No inertia and no damping; whatever moves freely must be held by
// pins or by an energy. The state before is only the guess: nothing is pulled back to it.
#pragma once

#include "core/solve/integrator.hpp"

namespace resilin {

class QuasiStatic final : public Integrator {
 public:
  struct Options {
    Index load_steps = 1;
    void visit(ParamVisitor& v);
  };
  QuasiStatic(const Options& options, const BuildContext&) : options_(options) {}

  void step(const StepTools& tools, const StepContext& context, Tape& tape) const override;
  SolveReport backward(const StepTools& tools, const Tape& tape, const StepRecord& record,
                       std::vector<Adjoint>& adjoints, SystemCotangent& cotangent) const override;

 private:
  double load_factor(const StepContext& context) const;
  Options options_;
};

}  // namespace resilin

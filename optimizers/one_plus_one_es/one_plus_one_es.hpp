// (1+1)-ES with the 1/5 success rule [Rechenberg 1973, in the form of Kern et al. 2004]: from the best point
// x a candidate x + sigma z, z of N(0, 1), is drawn; if it is no worse, it takes the place of x. The step
// size
//     sigma *= exp((s - 1/5) / (4/5) / d),  d = sqrt(n + 1), s = 1 for a success, 0 else
// is steady when a fifth of the candidates succeed. On a sphere far from rounding that is close to the best
// rate, a fall of the distance by exp(-0.202 / n) an evaluation; on other functions it is slower about
// in proportion to their condition number. It uses no gradient, and of the losses only their order.
//
// Bounds: x and z live in variables without bounds, which BoundTransform maps smoothly onto those between
// them. A candidate that is not admissible is no success.
//
// It ends as converged when `patience` candidates together lower the loss by no more than loss_tolerance, or
// sigma is within step_tolerance.
#pragma once

#include "core/optim/scaled_problem.hpp"

namespace resilin {

class OnePlusOneEs final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping{.max_iterations = 100'000, .patience = 0};
    double step_tolerance = 1e-9;
    double sigma = 0.1;
    Index seed = 1;
    void visit(ParamVisitor& v);
  };
  OnePlusOneEs(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
};

}  // namespace resilin

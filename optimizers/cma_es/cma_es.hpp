// (mu/mu_w, lambda)-CMA-ES [Hansen 2016, "The CMA Evolution Strategy: a Tutorial"]: a generation of lambda
// points is drawn from N(m, sigma^2 C); the mean m moves to the weighted mean of the mu best of them; the
// step size sigma follows the length of the path that m has taken (cumulative step-size adaptation), the
// covariance C that path (rank one) and the mu best steps (rank mu). Weights, rates and the default of lambda
// are the tutorial's, without its negative weights. It uses no gradient, and of the losses only their order.
//
// Bounds: the distribution lives in variables without bounds, which BoundTransform maps smoothly onto those
// between them. It stays normal and needs no penalty; a minimum at a bound is one like any other.
//
// Points that are not admissible rank behind all others; if fewer than mu are admissible, the weights are
// those of these alone; if none is, sigma is halved.
//
// It ends as converged when the best losses of `patience` generations differ by no more than loss_tolerance,
// or the steps are within step_tolerance in every variable. Memory n^2, each generation O(lambda n^2): meant
// for up to some hundred variables.
#pragma once

#include "core/optim/scaled_problem.hpp"

namespace resilin {

class CmaEs final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping{.max_iterations = 1000, .patience = 0};
    double step_tolerance = 1e-9;
    double sigma = 0.3;
    Index population = 0;
    Index seed = 1;
    void visit(ParamVisitor& v);
  };
  CmaEs(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
};

}  // namespace resilin

// Adam [Kingma, Ba 2015] with bias correction and projection onto the bounds:
//     m = b1 m + (1 - b1) g,  w = b2 w + (1 - b2) g^2,
//     x = P(x - a_k (m / (1 - b1^k)) / (sqrt(w / (1 - b2^k)) + epsilon))
// with the step size a_k of a schedule. It needs no line search and stands a noisy gradient. A step to a
// point that is not admissible is halved until it leads to one that is.
#pragma once

#include "core/optim/scaled_problem.hpp"

#include <string>

namespace resilin {

class Adam final : public Optimizer {
 public:
  struct Options {
    // The steps of the schedule go on where those of a line search would stall: it ends at its end.
    StoppingOptions stopping{.max_iterations = 300, .patience = 1'000'000};
    double step = 0.02;
    std::string schedule = "cosine";
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-12;
    void visit(ParamVisitor& v);
  };
  Adam(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  double step_size(Index iteration) const;  ///< a_k, k from 1

  Options options_;
};

}  // namespace resilin

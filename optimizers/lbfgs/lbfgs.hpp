// Limited-memory BFGS [Nocedal 1980] with projection onto the bounds [Bertsekas 1982]: the quasi-Newton
// direction in the variables that no bound holds, a line search along its projected path.
#pragma once

#include "core/optim/scaled_problem.hpp"

namespace resilin {

class Lbfgs final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping;
    Index history = 10;
    double first_step = 0.1;
    Index max_line_search = 30;
    void visit(ParamVisitor& v);
  };
  Lbfgs(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
};

}  // namespace resilin

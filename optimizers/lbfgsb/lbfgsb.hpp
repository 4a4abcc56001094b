// L-BFGS-B [Byrd, Lu, Nocedal, Zhu 1995] by LBFGSpp, on the loss divided by its first value. Where a point of
// its line search is not admissible, the search is begun again within half the way there.
#pragma once

#include "core/optim/scaled_problem.hpp"

namespace resilin {

class Lbfgsb final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping;
    Index history = 10;
    Index max_line_search = 30;
    void visit(ParamVisitor& v);
  };
  Lbfgsb(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
};

}  // namespace resilin

// Projected gradient descent with Armijo's line search [Bertsekas 1976]; the first step tried follows the
// rule of [Barzilai, Borwein 1988] or twice the step before.
#pragma once

#include "core/optim/scaled_problem.hpp"

#include <string>

namespace resilin {

class GradientDescent final : public Optimizer {
 public:
  struct Options {
    StoppingOptions stopping{.max_iterations = 1000};
    std::string step_rule = "barzilai_borwein";
    double first_step = 0.1;
    Index max_line_search = 60;
    void visit(ParamVisitor& v);
  };
  GradientDescent(const Options& options, const BuildContext&) : options_(options) {}
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  Options options_;
};

}  // namespace resilin

// An optimizer from several points; the best result counts. The first point is the start of the task, the
// others are drawn between the bounds: as a Latin hypercube [McKay, Beckman, Conover 1979], which cuts the
// range of every variable into as many equal parts as there are points and puts one point into each, or
// uniformly. If `candidates` are asked for, the loss of that many points is evaluated first, without
// gradients, and the optimizer begins at the best of them.
//
// A point other than the first that is not admissible is passed over. Every variable needs two bounds.
#pragma once

#include "core/optim/optimizer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin {

class SharedObjective;

class MultiStart final : public Optimizer {
 public:
  struct Options {
    Index starts = 5;
    Index candidates = 0;
    std::string sampling = "latin_hypercube";
    Index seed = 1;
    ComponentSpec optimizer;
    void visit(ParamVisitor& v);
  };
  MultiStart(const Options& options, const BuildContext& context);
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  std::vector<VecX> points(ConstVec lower, ConstVec upper, const VecX& first) const;
  void keep_best(SharedObjective& f, std::vector<VecX>& points) const;

  Options options_;
  std::string where_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace resilin

// Optimizers one after the other, each from the best point of those before: a global one first, such as
// cma_es, and one that uses gradients to finish, such as lbfgsb. Whether the chain has converged is said by
// its last member. A member that cannot begin where the one before ended, or a spent budget, ends the chain.
#pragma once

#include "core/optim/optimizer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace resilin {

class Chain final : public Optimizer {
 public:
  struct Options {
    std::vector<ComponentSpec> optimizers;
    void visit(ParamVisitor& v);
  };
  Chain(const Options& options, const BuildContext& context);
  OptimizerReport minimize(Objective& f, ConstVec lower, ConstVec upper, MutVec u) const override;

 private:
  struct Member {
    std::string type;
    std::unique_ptr<Optimizer> optimizer;
  };
  std::vector<Member> members_;
};

}  // namespace resilin

// Steps that an optimisation may cost.
#pragma once

#include "core/optim/task.hpp"

namespace resilin {

class RESILIN_API StepBudget {
 public:
  explicit StepBudget(Index limit) : limit_(limit) {}  ///< 0: no limit
  /// Throws BudgetSpent if less than `wanted` is left; `what` will take that: "evaluation".
  void require(Index wanted, const char* what) const;
  void add(StepCount more);
  const StepCount& used() const { return used_; }

 private:
  Index limit_;
  StepCount used_;
};

}  // namespace resilin

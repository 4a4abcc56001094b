#include "core/optim/step_budget.hpp"

#include <fmt/format.h>

namespace resilin {

void StepBudget::require(Index wanted, const char* what) const {
  if (limit_ == 0 || wanted <= limit_ - used_.total()) return;
  throw BudgetSpent(fmt::format("the step budget is spent: {} of {} steps are used, the next {} takes {}",
                                used_.total(), limit_, what, wanted));
}

void StepBudget::add(StepCount more) {
  used_.forward += more.forward;
  used_.backward += more.backward;
}

}  // namespace resilin

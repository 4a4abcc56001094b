#include "core/plugin/plugin.hpp"
#include "tasks/linear_functional/linear_functional.hpp"
#include "tasks/match_trajectory/match_trajectory.hpp"

RESILIN_PLUGIN("tasks", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Loss, MatchTrajectory>("match_trajectory", "Squared distance to a trajectory");
  registry.add<Loss, LinearFunctional>("linear_functional", "Linear functional of the final state");
}

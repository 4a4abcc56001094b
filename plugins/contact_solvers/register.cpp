#include "core/plugin/plugin.hpp"
#include "plugins/contact_solvers/active_set.hpp"

RESILIN_PLUGIN("contact_solvers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<ContactSolver, ActiveSet>(
      "active_set",
      "Contact that sticks: the forward solver with the nodes in contact held, until the set is right", true);
}

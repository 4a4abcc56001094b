#include "core/plugin/plugin.hpp"
#include "plugins/contact_solvers/auto_contact.hpp"
#include "plugins/contact_solvers/fixed_point_contact.hpp"

RESILIN_PLUGIN("contact_solvers", "0.1.0", registry) {
  using namespace resilin;
  registry.add<ContactSolver, AutoContact>(
      "auto", "active_set where all contact sticks, else semismooth_newton", true);
  registry.add<ContactSolver, ActiveSet>(
      "active_set",
      "Contact that sticks: the forward solver with the nodes in contact held, until the set is right");
  registry.add<ContactSolver, SemismoothNewton>(
      "semismooth_newton",
      "Contact with any law of friction: a Newton method on the step and the law together");
  registry.add<ContactSolver, Delassus>(
      "delassus",
      "Any law, without a Hessian: Gauss-Seidel sweeps over the contact forces, then a global step");
  registry.add<ContactSolver, Splitting>(
      "splitting", "Any law, without a Hessian: each node's force by its own inertia, then a global step");
}

#include "core/plugin/plugin.hpp"
#include "plugins/integrators/bdf2.hpp"
#include "plugins/integrators/implicit_euler.hpp"
#include "plugins/integrators/quasi_static.hpp"

RESILIN_PLUGIN("integrators", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Integrator, ImplicitEuler>("implicit_euler", "Implicit (backward) Euler, first order", true);
  registry.add<Integrator, Bdf2>("bdf2", "Second backward difference formula, second order");
  registry.add<Integrator, QuasiStatic>("quasi_static",
                                        "Static equilibrium under loads that grow step by step");
}

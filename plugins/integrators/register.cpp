#include "core/plugin/plugin.hpp"
#include "plugins/integrators/implicit_euler.hpp"

RESILIN_PLUGIN("integrators", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Integrator, ImplicitEuler>("implicit_euler", "Implicit (backward) Euler, first order", true);
}

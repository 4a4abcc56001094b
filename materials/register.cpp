#include "core/plugin/plugin.hpp"
#include "materials/corotated/corotated.hpp"
#include "materials/muscle/muscle.hpp"
#include "materials/neo_hookean/neo_hookean.hpp"
#include "materials/stable_neo_hookean/stable_neo_hookean.hpp"
#include "materials/volume/volume.hpp"

RESILIN_PLUGIN("materials", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Material, Corotated>("corotated",
                                    "Shear resistance about the nearest rotation (Projective Dynamics)");
  registry.add<Material, Volume>(
      "volume", "Volume preservation by the nearest matrix of determinant 1 (Projective Dynamics)");
  registry.add<Material, Muscle>("muscle",
                                 "Muscle fibres with an activation as target stretch (Projective Dynamics)");
  registry.add<Material, NeoHookean>("neo_hookean", "Compressible neo-Hookean solid");
  registry.add<Material, StableNeoHookean>("stable_neo_hookean",
                                           "Stable neo-Hookean solid, defined for inverted elements");
}

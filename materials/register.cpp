#include "core/plugin/plugin.hpp"
#include "materials/corotated/corotated.hpp"
#include "materials/fibre/fibre.hpp"
#include "materials/fixed_corotated/fixed_corotated.hpp"
#include "materials/linear_elastic/linear_elastic.hpp"
#include "materials/membrane_arap/membrane_arap.hpp"
#include "materials/membrane_corotated/membrane_corotated.hpp"
#include "materials/membrane_neo_hookean/membrane_neo_hookean.hpp"
#include "materials/membrane_stvk/membrane_stvk.hpp"
#include "materials/membrane_woven/membrane_woven.hpp"
#include "materials/mooney_rivlin/mooney_rivlin.hpp"
#include "materials/muscle/muscle.hpp"
#include "materials/neo_hookean/neo_hookean.hpp"
#include "materials/st_venant_kirchhoff/st_venant_kirchhoff.hpp"
#include "materials/stable_neo_hookean/stable_neo_hookean.hpp"
#include "materials/strand/strand.hpp"
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
  registry.add<Material, LinearElastic>("linear_elastic", "Hooke's law of small strains and small rotations");
  registry.add<Material, StVenantKirchhoff>(
      "st_venant_kirchhoff", "Hooke's law in the strain of Green: large rotations, small strains");
  registry.add<Material, MooneyRivlin>("mooney_rivlin", "Compressible Mooney-Rivlin solid for rubber");
  registry.add<Material, FixedCorotated>(
      "fixed_corotated", "Fixed corotated solid, Hooke's law at small strain, defined for inverted elements");
  registry.add<Material, Fibre>("fibre", "Fibres as linear springs in a direction, per body or per element");
  registry.add<Material, ExponentialFibre>(
      "exponential_fibre", "Fibres that stiffen exponentially, as in soft tissue (Fung, Holzapfel)");
  registry.add<Material, MembraneStvk>("membrane_stvk",
                                       "Surfaces: Hooke's law in the strain of Green, in plane stress");
  registry.add<Material, MembraneArap>("membrane_arap",
                                       "Surfaces: cloth as near to an isometry as possible, or within limits "
                                       "of stretch (Projective Dynamics)");
  registry.add<Material, MembraneCorotated>(
      "membrane_corotated", "Surfaces: resistance about the nearest isometry (Projective Dynamics)");
  registry.add<Material, MembraneNeoHookean>("membrane_neo_hookean",
                                             "Surfaces: incompressible neo-Hookean rubber in plane stress");
  registry.add<Material, MembraneWoven>(
      "membrane_woven", "Surfaces: woven cloth, each with its own stiffness along warp, weft and in shear");
  registry.add<Material, Strand>("strand", "Curves: resistance to stretching (Projective Dynamics)");
}

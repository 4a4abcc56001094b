#include "contacts/complementarity/complementarity.hpp"
#include "contacts/dry_friction/dry_friction.hpp"
#include "contacts/penalty/penalty.hpp"
#include "contacts/self_contact/self_contact.hpp"
#include "contacts/velocity_friction/velocity_friction.hpp"
#include "core/plugin/plugin.hpp"

RESILIN_PLUGIN("contacts", "0.1.0", registry) {
  using namespace resilin;
  registry.add<ContactModel, Complementarity>(
      "complementarity", "Nodes that touch a collider stick to it until it would have to pull them");
  registry.add<ContactModel, DryFriction>(
      "dry_friction",
      "Nodes that touch a collider stick to it or slide along it by Coulomb's law of friction");
  registry.add<ContactModel, Penalty>(
      "penalty", "Nodes inside a collider are pushed out by springs, with friction that depends on velocity");
  registry.add<ContactModel, SelfContact>(
      "self_contact", "Surfaces of bodies touch themselves and each other, with Coulomb's law of friction");
  registry.add<ContactModel, VelocityFriction>(
      "velocity_friction",
      "Nodes near a collider may not move into it, with Coulomb's law of friction between velocities, as "
      "published");
}

// The part of System that makes colliders and contact models.
#include "core/model/system.hpp"

#include <fmt/format.h>

namespace resilin {

bool System::add_contacts(const SceneOptions& scene, const BuildContext& c, Diagnostics& found) {
  bool good = true;
  const auto context = [&](const ComponentSpec& spec) {
    BuildContext of = c;
    of.path = spec.path;
    of.place = spec.place;
    of.num_nodes = num_nodes();
    of.bodies = &body_views_;
    of.colliders = &collider_names_;
    return of;
  };
  for (const auto& [name, spec] : scene.colliders)
    good = found.attempt([&, &name = name, &spec = spec] {
      colliders_.push_back(c.registry->make<Collider>(spec, context(spec)));
      collider_names_.push_back(name);
    }) && good;
  if (!good) return false;  // contacts may name what is missing
  for (const ComponentSpec& spec : scene.contacts)
    good = found.attempt([&] { contacts_.push_back(c.registry->make<ContactModel>(spec, context(spec))); }) &&
           good;
  return good;
}

void System::check_start(const BuildContext& c, Diagnostics& found) const {
  const State start = initial_state();
  for (std::size_t m = 0; m < contacts_.size(); ++m) {
    if (contacts_[m]->pushes_out()) continue;
    double deepest = 0;
    Index node = -1, collider = -1;
    for (const Index i : contacts_[m]->nodes()) {
      const char* pinned = fixed().data() + 3 * i;
      if (pinned[0] || pinned[1] || pinned[2]) continue;  // what a pin holds does not touch
      for (const Index k : contacts_[m]->colliders()) {
        const double d = colliders_[static_cast<std::size_t>(k)]->at(0, start.x.segment<3>(3 * i)).distance;
        // Rounding of places of the size of the scene is no penetration.
        if (d < deepest && d < -1e-12 * (1 + start.x.segment<3>(3 * i).norm()))
          deepest = d, node = i, collider = k;
      }
    }
    if (node < 0) continue;
    BuildContext of = c;
    of.path = fmt::format("contacts[{}]", m);
    found.attempt([&] {
      throw of.input_error("", fmt::format("{} starts {:.3g} m inside collider {}: move the body, or set "
                                           "initial_penetration: push_out",
                                           describe_node(node, start.x), -deepest,
                                           collider_names_[static_cast<std::size_t>(collider)]));
    });
  }
}

}  // namespace resilin

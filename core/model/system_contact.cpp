// The part of System that makes colliders and contact models.
#include "core/contact/pair_law.hpp"
#include "core/energy/compliant_coupling.hpp"
#include "core/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace resilin {

namespace {

/// A law keeps nodes outside, so that a contact by forces with the same collider would never act.
void require_one_kind(const std::vector<std::unique_ptr<ContactModel>>& models, BuildContext c) {
  std::map<std::pair<Index, Index>, std::size_t> law_of;
  const auto visit = [&](bool laws, auto&& see) {
    for (std::size_t m = 0; m < models.size(); ++m) {
      if ((dynamic_cast<const ContactLaw*>(models[m].get()) != nullptr) != laws) continue;
      for (const Index i : models[m]->nodes())
        for (const Index k : models[m]->colliders()) see(m, std::pair(i, k));
    }
  };
  visit(true, [&](std::size_t m, const std::pair<Index, Index>& pair) { law_of.emplace(pair, m); });
  visit(false, [&](std::size_t m, const std::pair<Index, Index>& pair) {
    const auto law = law_of.find(pair);
    if (law == law_of.end()) return;
    c.path = fmt::format("contacts[{}]", m);
    if (const auto it = c.places->find(c.path); it != c.places->end()) c.place = it->second;
    throw c.input_error(
        "", fmt::format("it would never act: contacts[{}] keeps the same nodes out of collider {}",
                        law->second, (*c.colliders)[static_cast<std::size_t>(pair.second)]));
  });
}

}  // namespace

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
    good = found.attempt([&] {
      contact_models_.push_back(c.registry->make<ContactModel>(spec, context(spec)));
      if (const auto* law = dynamic_cast<const ContactLaw*>(contact_models_.back().get()))
        contacts_.push_back(law), contact_number_.push_back(static_cast<Index>(contact_models_.size()) - 1);
    }) && good;
  if (good) {
    BuildContext of = c;
    of.colliders = &collider_names_;
    good = found.attempt([&] { require_one_kind(contact_models_, of); });
  }
  return good;
}

std::string System::pair_start_mistake(const PairLaw& law, const VecX& start) const {
  if (const std::vector<Index> i = law.find_intersection(start); !i.empty())
    return fmt::format(
        "surfaces start crossed: the edge from {} to {} goes through the triangle of {}, {} and {}: move "
        "them "
        "apart",
        describe_node(i[0], start), describe_node(i[1], start), describe_node(i[2], start),
        describe_node(i[3], start), describe_node(i[4], start));
  if (law.pushes_out()) return {};
  const std::optional<ContactPair> pair = law.find_deepest({colliders_, start, start, 0, 0, fixed()});
  if (!pair) return {};
  std::string others =
      pair->collider < 0 ? "" : "collider " + collider_names_[static_cast<std::size_t>(pair->collider)];
  for (std::size_t k = 1; k < 4 && pair->nodes[k] >= 0; ++k)
    others += (others.empty() ? "" : ", ") + describe_node(pair->nodes[k], start);
  return fmt::format(
      "{} starts {:.3g} m too near to {}: move them apart, choose a smaller thickness, or set "
      "initial_penetration: push_out",
      describe_node(pair->nodes[0], start), -pair->gap, others);
}

std::string System::start_mistake(std::size_t m) const {
  const State start = initial_state();
  if (const auto* pairs = dynamic_cast<const PairLaw*>(contact_models_[m].get()))
    return pair_start_mistake(*pairs, start.x);
  if (contact_models_[m]->pushes_out()) return {};
  const auto* law = dynamic_cast<const ContactLaw*>(contact_models_[m].get());
  const double begin = law == nullptr ? 0 : law->distance();
  double deepest = 0;
  Index node = -1, collider = -1;
  for (const Index i : contact_models_[m]->nodes()) {
    const char* pinned = fixed().data() + 3 * i;
    if (pinned[0] || pinned[1] || pinned[2]) continue;  // what a pin holds does not touch
    for (const Index k : contact_models_[m]->colliders()) {
      const double d =
          colliders_[static_cast<std::size_t>(k)]->at(0, start.x.segment<3>(3 * i)).distance - begin;
      // What a solved step may leave, as a preload does, and rounding are no penetration.
      if (d < deepest && d < -1e-9 * (1 + start.x.segment<3>(3 * i).norm()))
        deepest = d, node = i, collider = k;
    }
  }
  if (node < 0) return {};
  return fmt::format(
      "{} starts {:.3g} m inside collider {}{}: move the body, or set initial_penetration: push_out",
      describe_node(node, start.x), -deepest, collider_names_[static_cast<std::size_t>(collider)],
      begin > 0 ? fmt::format(" and its distance of contact of {:.3g} m", begin) : "");
}

void System::check_start(const BuildContext& c, Diagnostics& found) const {
  for (std::size_t m = 0; m < contact_models_.size(); ++m) {
    BuildContext of = c;
    of.path = fmt::format("contacts[{}]", m);
    found.attempt([&] {
      if (const std::string text = start_mistake(m); !text.empty()) throw of.input_error("", text);
    });
  }
}

void System::require_start() const {
  for (std::size_t m = 0; m < contact_models_.size(); ++m)
    if (const std::string text = start_mistake(m); !text.empty())
      throw Error(Errc::Numerics, fmt::format("contacts[{}]: {}", m, text));
}

/// Enters a contact model, whose parameters begin at `offset`, where the solvers find it.
void System::couple_contact(const ContactModel& model, const std::string& name, Index offset) {
  if (dynamic_cast<const ContactLaw*>(&model) != nullptr) {
    contact_offset_.push_back(offset);
    return;
  }
  const auto* compliant = dynamic_cast<const CompliantContact*>(&model);
  if (compliant == nullptr)
    throw Error(Errc::Plugin, name + ": the contact is neither a ContactLaw nor a CompliantContact");
  // Its part of the table is that from the first collider to its own end.
  const Index first = collider_offset_.front();
  ContactParameters part;
  for (const Index collider : collider_offset_) part.colliders.push_back(collider - first);
  part.model = offset - first;
  part.size = offset + model.num_parameters() - first;
  const CompliantPairs pairs(colliders_, *compliant, part);
  if (compliant->is_implicit()) {
    energies_.push_back(std::make_unique<CompliantContactEnergy>(pairs));
    energy_names_.push_back(name);
    energy_offset_.push_back(first);
  } else {
    forces_.push_back(std::make_unique<CompliantContactForce>(pairs));
    force_names_.push_back(name);
    force_offset_.push_back(first);
    num_scene_forces_ = forces_.size();
  }
}

bool System::has_explicit_contact() const {
  return std::any_of(forces_.begin(), forces_.end(), [](const auto& force) {
    return dynamic_cast<const CompliantContactForce*>(force.get()) != nullptr;
  });
}

}  // namespace resilin

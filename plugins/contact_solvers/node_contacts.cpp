#include "plugins/contact_solvers/node_contacts.hpp"

#include <algorithm>

namespace resilin {

NodeContacts::NodeContacts(const ContactProblem& problem) : p_(problem), time_(problem.step.context().time) {
  const auto& fixed = p_.system.fixed(time_);
  for (std::size_t m = 0; m < p_.system.contacts().size(); ++m) {
    const ContactLaw& model = *p_.system.contacts()[m];
    for (const Index i : model.nodes()) {
      const char* pinned = fixed.data() + 3 * i;
      if (pinned[0] || pinned[1] || pinned[2]) continue;
      for (const Index k : model.colliders())
        pairs_.push_back({i, static_cast<Index>(m), k, p_.step.diagonal(i), {}});
    }
  }
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const Pair& a, const Pair& b) { return a.node < b.node; });
  forces_ = Mat3X::Zero(3, static_cast<Index>(pairs_.size()));
}

const NodeLaw& NodeContacts::law(Pair& pair) const {
  if (!pair.law)
    pair.law.emplace(p_.system.colliders(), *p_.system.contacts()[static_cast<std::size_t>(pair.model)],
                     pair.collider, p_.start.segment<3>(3 * pair.node), time_, p_.step.context().time_step);
  return *pair.law;
}

void NodeContacts::take(const std::vector<NodeContact>& contacts) {
  auto c = contacts.begin();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    while (c != contacts.end() && c->node < pairs_[k].node) ++c;
    for (auto same = c; same != contacts.end() && same->node == pairs_[k].node; ++same)
      if (same->collider == pairs_[k].collider && same->model == pairs_[k].model)
        forces_.col(static_cast<Index>(k)) = same->impulse / p_.step.context().time_step;
  }
}

std::vector<NodeContact> NodeContacts::record(const std::vector<ActiveContact>& active) const {
  std::vector<NodeContact> contacts;
  for (const ActiveContact& a : active) {
    const Pair& pair = pairs_[a.pair];
    const Vec3 force = forces_.col(static_cast<Index>(a.pair));
    if (force.isZero(0)) continue;
    contacts.push_back(
        {pair.node, pair.model, pair.collider, p_.step.context().time_step * force, a.law.response.slides});
  }
  return contacts;
}

void NodeContacts::find_active(ConstVec x, std::vector<ActiveContact>& active) {
  active.clear();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    Pair& pair = pairs_[k];
    const Vec3 at = x.segment<3>(3 * pair.node);
    auto force = forces_.col(static_cast<Index>(k));
    const SurfacePoint s = p_.system.colliders()[static_cast<std::size_t>(pair.collider)]->at(time_, at);
    if (!(force.dot(s.normal) > pair.rho * s.distance)) {
      force.setZero();
      continue;
    }
    active.push_back({k, pair.node, p_.system.contacts()[static_cast<std::size_t>(pair.model)], pair.rho,
                      law(pair).evaluate(force, at, pair.rho)});
  }
}

void NodeContacts::subtract_forces(MutVec r) const {
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    r.segment<3>(3 * pairs_[k].node) -= forces_.col(static_cast<Index>(k));
}

void NodeContacts::pull(const ActiveContact& contact, ConstVec x, const Vec3& z, MutVec dstart,
                        MutVec theta) const {
  const Pair& pair = pairs_[contact.pair];
  Vec3 d = Vec3::Zero();
  pair.law->pull(contact.law, x.segment<3>(3 * pair.node), pair.rho, z, d, theta,
                 p_.system.collider_offsets(),
                 p_.system.contact_offset(static_cast<std::size_t>(pair.model)));
  dstart.segment<3>(3 * pair.node) += d;
}

}  // namespace resilin

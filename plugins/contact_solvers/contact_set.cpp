#include "plugins/contact_solvers/contact_set.hpp"

#include <algorithm>
#include <cmath>

namespace resilin {
namespace {

/// Whether pins hold a node against a push along n: most of n lies along axes that they hold.
bool is_held_along(const ContactNodes& nodes, std::size_t k, const Vec3& n) {
  double free = 0;
  for (Index axis = 0; axis < 3; ++axis)
    if (nodes.share[k][axis] != 0) free += n[axis] * n[axis];
  return free < 0.5;
}

/// Where pins hold nodes of both sides (those of positive weights, and those of negative ones) what is left
/// to move could do little against what they prescribe, at forces without limit.
bool is_held_on_both_sides(const ContactNodes& nodes, const Vec3& normal) {
  constexpr double kNone = 1e-9;  // weight that rounding leaves
  bool first = false, second = false;
  for (std::size_t k = 0; k < 4 && nodes.node[k] >= 0; ++k) {
    if (std::abs(nodes.weight[k]) <= kNone || !is_held_along(nodes, k, normal)) continue;
    (nodes.weight[k] > 0 ? first : second) = true;
  }
  return first && second;
}

NodeContact name_of(Index model, const ContactPair& pair) {
  NodeContact c;
  c.node = pair.nodes[0];
  c.model = model;
  c.collider = pair.collider;
  c.form = pair.form;
  c.weights = pair.weights;
  std::copy(pair.nodes.begin() + 1, pair.nodes.end(), c.others.begin());
  return c;
}

}  // namespace

ContactSet::ContactSet(const ContactProblem& problem)
    : p_(problem),
      step_{p_.system.colliders(),
            p_.start,
            p_.step.target(),
            p_.step.context().time,
            p_.step.context().time_step,
            p_.system.fixed(p_.step.context().time)} {
  const auto& fixed = p_.system.fixed(step_.time);
  for (std::size_t m = 0; m < p_.system.contacts().size(); ++m) {
    const ContactLaw& model = *p_.system.contacts()[m];
    pair_laws_.push_back(dynamic_cast<const PairLaw*>(&model));
    if (pair_laws_.back() != nullptr) continue;
    for (const Index i : model.nodes()) {
      const char* pinned = fixed.data() + 3 * i;
      if (pinned[0] || pinned[1] || pinned[2]) continue;
      for (const Index k : model.colliders()) {
        Member member{};
        member.who.node = i;
        member.who.model = static_cast<Index>(m);
        member.who.collider = k;
        member.nodes.node[0] = i;
        member.nodes.share[0].setOnes();
        member.rho = p_.step.diagonal(i);
        members_.push_back(std::move(member));
      }
    }
  }
  const auto by_node = [](const Member& a, const Member& b) { return a.who.node < b.who.node; };
  if (!std::is_sorted(members_.begin(), members_.end(), by_node))  // one model's are
    std::stable_sort(members_.begin(), members_.end(), by_node);
  num_with_colliders_ = members_.size();
  forces_ = Mat3X::Zero(3, static_cast<Index>(members_.size()));
}

ContactNodes ContactSet::shares(const ContactPair& pair) const {
  ContactNodes nodes;
  nodes.node = pair.nodes;
  nodes.weight = pair.weights;
  const auto& fixed = p_.system.fixed(step_.time);
  for (std::size_t k = 0; k < 4 && pair.nodes[k] >= 0; ++k)
    for (Index axis = 0; axis < 3; ++axis)
      nodes.share[k][axis] = fixed[static_cast<std::size_t>(3 * pair.nodes[k] + axis)] ? 0 : pair.weights[k];
  return nodes;
}

void ContactSet::add_pair(Index model, const ContactPair& pair) {
  Member m{};
  m.who = name_of(model, pair);
  m.nodes = shares(pair);
  m.pair = pair;
  if (is_held_on_both_sides(m.nodes, pair.normal)) return;
  double compliance = 0;
  for (std::size_t k = 0; k < 4 && pair.nodes[k] >= 0; ++k)
    compliance += m.nodes.share[k].squaredNorm() / (3 * p_.step.diagonal(pair.nodes[k]));
  if (compliance == 0) return;
  m.rho = 1 / compliance;
  pair_number_.emplace(m.who, members_.size());
  members_.push_back(std::move(m));
  forces_.conservativeResize(3, forces_.cols() + 1);
  forces_.rightCols<1>().setZero();
}

std::optional<std::size_t> ContactSet::find(const NodeContact& who) const {
  if (pair_laws_[static_cast<std::size_t>(who.model)] != nullptr) {
    const auto it = pair_number_.find(who);
    return it != pair_number_.end() ? std::optional(it->second) : std::nullopt;
  }
  const auto begin = members_.begin(), end = begin + static_cast<std::ptrdiff_t>(num_with_colliders_);
  auto it =
      std::lower_bound(begin, end, who.node, [](const Member& m, Index node) { return m.who.node < node; });
  while (it != end && it->who.node == who.node && (ByNodes()(it->who, who) || ByNodes()(who, it->who))) ++it;
  if (it == end || it->who.node != who.node) return {};
  return static_cast<std::size_t>(it - begin);
}

const NodeLaw& ContactSet::node_law(Member& m) const {
  if (!m.law)
    m.law.emplace(step_.colliders, model(m), m.who.collider, p_.start.segment<3>(3 * m.who.node), step_.time,
                  step_.time_step);
  return *m.law;
}

void ContactSet::take(const std::vector<NodeContact>& contacts) {
  for (const NodeContact& c : contacts) {
    const PairLaw* law = pair_laws_[static_cast<std::size_t>(c.model)];
    if (law != nullptr && !find(c)) add_pair(c.model, law->find(step_, c));
    if (const auto k = find(c)) forces_.col(static_cast<Index>(*k)) = c.impulse / step_.time_step;
  }
}

void ContactSet::warm_start(const std::vector<NodeContact>& contacts) {
  for (const NodeContact& c : contacts)
    if (const auto k = find(c)) forces_.col(static_cast<Index>(*k)) = c.impulse / step_.time_step;
}

std::vector<NodeContact> ContactSet::record(const std::vector<ActiveContact>& active) const {
  std::vector<NodeContact> contacts;
  for (const ActiveContact& a : active) {
    const Vec3 force = forces_.col(static_cast<Index>(a.number));
    if (force.isZero(0)) continue;
    contacts.push_back(members_[a.number].who);
    contacts.back().impulse = step_.time_step * force;
    contacts.back().slides = a.law.response.slides;
  }
  std::sort(contacts.begin(), contacts.end(), ByNodes());
  return contacts;
}

double ContactSet::distance(const Member& m, ConstVec x, Vec3& normal) const {
  if (pair_law(m) != nullptr) {
    normal = m.pair.normal;
    return m.pair.gap + normal.dot(m.pair.gather(x) - m.pair.gather(p_.start) - m.pair.drift);
  }
  const SurfacePoint s =
      step_.colliders[static_cast<std::size_t>(m.who.collider)]->at(step_.time, x.segment<3>(3 * m.who.node));
  normal = s.normal;
  return s.distance - model(m).distance();
}

void ContactSet::find_active(ConstVec x, std::vector<ActiveContact>& active) {
  active.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = members_[k];
    auto force = forces_.col(static_cast<Index>(k));
    Vec3 normal;
    const double d = distance(m, x, normal);
    if (!(force.dot(normal) > m.rho * d)) {
      force.setZero();
      continue;
    }
    const PairLaw* law = pair_law(m);
    active.push_back({k, m.nodes, &model(m), m.rho,
                      law != nullptr ? evaluate(*law, m.pair, p_.start, force, x, m.rho)
                                     : node_law(m).evaluate(force, x.segment<3>(3 * m.who.node), m.rho)});
  }
}

bool ContactSet::add_missing(ConstVec x) {
  const std::size_t size = members_.size();
  std::vector<ContactPair> found;
  for (std::size_t m = 0; m < pair_laws_.size(); ++m) {
    if (pair_laws_[m] == nullptr) continue;
    found.clear();
    pair_laws_[m]->detect(step_, x, found);
    for (const ContactPair& pair : found)
      if (!find(name_of(static_cast<Index>(m), pair))) add_pair(static_cast<Index>(m), pair);
  }
  return members_.size() > size;
}

std::string ContactSet::find_crossing(ConstVec x) const {
  for (const PairLaw* law : pair_laws_)
    if (law != nullptr)
      if (std::string found = law->find_crossing(step_, x); !found.empty()) return found;
  return {};
}

void ContactSet::subtract_forces(MutVec r) const {
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (const Vec3 force = forces_.col(static_cast<Index>(k)); !force.isZero(0))
      members_[k].nodes.scatter_add(-force, r);
}

void ContactSet::pull(const ActiveContact& contact, ConstVec x, const Vec3& z, ConstVec w,
                      ContactCotangent& out) const {
  const Member& m = members_[contact.number];
  const std::vector<Index>& colliders = p_.system.collider_offsets();
  const Index offset = p_.system.contact_offset(static_cast<std::size_t>(m.who.model));
  if (const PairLaw* law = pair_law(m)) {
    resilin::pull(*law, step_, m.pair, contact.law, forces_.col(static_cast<Index>(contact.number)), x, m.rho,
                  z, w, out.start, out.theta, colliders, offset);
    contact.nodes.scatter_add_held(-contact.law.d_position.transpose() * z, out.end);
    return;
  }
  Vec3 d = Vec3::Zero();
  m.law->pull(contact.law, x.segment<3>(3 * m.who.node), m.rho, z, d, out.theta, colliders, offset);
  out.start.segment<3>(3 * m.who.node) += d;
}

}  // namespace resilin

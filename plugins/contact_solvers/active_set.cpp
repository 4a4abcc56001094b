#include "plugins/contact_solvers/active_set.hpp"

#include "core/contact/pair_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace resilin {
namespace {

using Contacts = std::vector<NodeContact>;

struct Scratch {
  VecX rhs, product;
  std::vector<char> none;  ///< no coordinate is fixed
};

constexpr double kDepth = 1e-12;  // rounding of a distance, relative to places and metres
constexpr double kTouch = 1e-9;   // [m] a node that near touches
constexpr int kReturns = 2;       // of a node in one step, after which it stays

bool before(const NodeContact& a, const NodeContact& b) {
  return a.node < b.node;
}
bool is_held(const Contacts& contacts, Index node) {
  const auto it = std::lower_bound(contacts.begin(), contacts.end(), NodeContact{node}, before);
  return it != contacts.end() && it->node == node;
}

/// How wrong a set of contacts is: who must leave, and who must enter.
struct Faults {
  std::vector<std::pair<double, NodeContact>> pulled;  ///< force of the pull [N]
  std::vector<std::pair<double, NodeContact>>
      handed;  ///< pulled, but another collider there pushes: this one
  std::vector<std::pair<double, NodeContact>> entering;  ///< depth [m]
  bool none() const { return pulled.empty() && handed.empty() && entering.empty(); }
};

class Search {
 public:
  Search(const ContactProblem& p, MutVec x) : p_(p), x_(x), r_(x.size()) {}

  double time() const { return p_.step.context().time; }
  Sticking sticking(const NodeContact& c) const {
    return {p_.system.colliders(), *p_.system.contacts()[at(c.model)], time(), p_.step.context().time_step};
  }
  void place(const Contacts& contacts) {
    for (const NodeContact& c : contacts)
      x_.segment<3>(3 * c.node) = sticking(c).place(c.collider, p_.start.segment<3>(3 * c.node));
  }
  /// Pins come first: what they hold along any axis does not touch.
  bool is_pinned(Index node) const {
    const auto& fixed = p_.system.fixed(time());
    return fixed[at(3 * node)] || fixed[at(3 * node + 1)] || fixed[at(3 * node + 2)];
  }

  /// The deepest contact of each node of x that is inside a collider by more than `depth`, leaving out those
  /// held.
  std::vector<std::pair<double, NodeContact>> penetrating(ConstVec x, const Contacts& held,
                                                          double depth) const {
    std::vector<std::pair<double, NodeContact>> found;
    for (std::size_t m = 0; m < p_.system.contacts().size(); ++m) {
      const ContactLaw& model = *p_.system.contacts()[m];
      for (const Index i : model.nodes()) {
        if (is_held(held, i) || is_pinned(i)) continue;
        double deepest = -depth * (1 + x.segment<3>(3 * i).norm());
        NodeContact contact{i, static_cast<Index>(m), -1, Vec3::Zero()};
        for (const Index k : model.colliders())
          if (const double d = distance(k, x.segment<3>(3 * i)) - model.distance(); d < deepest)
            deepest = d, contact.collider = k;
        if (contact.collider >= 0) found.emplace_back(-deepest, contact);
      }
    }
    // No node is in two models, but their nodes may alternate.
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return before(a.second, b.second); });
    return found;
  }

  /// Judges a solution with `contacts` held, whose impulses are filled in. No node must be held on entry.
  Faults judge(Contacts& contacts, double noise) {
    Faults faults;
    p_.step.residual(x_, r_);
    for (NodeContact& c : contacts) {
      const Vec3 force = r_.segment<3>(3 * c.node);
      c.impulse = p_.step.context().time_step * force;
      const double pull = -push(c.collider, c, force);
      if (!(pull > noise)) continue;
      NodeContact other = c;
      for (const Index k : p_.system.contacts()[at(c.model)]->colliders())
        if (push(k, c, force) > push(other.collider, c, force)) other.collider = k;
      const bool is_handed = push(other.collider, c, force) >= -noise;
      (is_handed ? faults.handed : faults.pulled).emplace_back(pull, is_handed ? other : c);
    }
    faults.entering = penetrating(x_, contacts, kDepth);
    return faults;
  }

 private:
  /// The normal part of a force on a node in contact, if the collider is near: in a corner between several,
  /// one that pushes can exert any force, for friction has no limit.
  double push(Index collider, const NodeContact& c, const Vec3& force) const {
    const SurfacePoint s = p_.system.colliders()[at(collider)]->at(time(), x_.segment<3>(3 * c.node));
    if (collider != c.collider &&
        std::abs(s.distance - p_.system.contacts()[at(c.model)]->distance()) > kTouch)
      return -std::numeric_limits<double>::infinity();
    return force.dot(s.normal);
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double distance(Index collider, const Vec3& p) const {
    return p_.system.colliders()[at(collider)]->at(time(), p).distance;
  }

  const ContactProblem& p_;
  MutVec x_;
  VecX r_;
};

void leave(Contacts& contacts, const NodeContact& c) {
  contacts.erase(std::lower_bound(contacts.begin(), contacts.end(), c, before));
}
void enter(Contacts& contacts, const NodeContact& c) {
  contacts.insert(std::lower_bound(contacts.begin(), contacts.end(), c, before), c);
}

void hand(Contacts& contacts, const NodeContact& c) {
  *std::lower_bound(contacts.begin(), contacts.end(), c, before) = c;
}

/// Nodes that came back in this step, and how often.
class Returns {
 public:
  void note(const Contacts& set, const Contacts& next) {
    for (const NodeContact& c : set)
      if (!is_held(next, c.node)) left_.insert(c.node);
    for (const NodeContact& c : next) {
      const auto old = std::lower_bound(set.begin(), set.end(), c, before);
      const bool was_held = old != set.end() && old->node == c.node;
      if (was_held ? old->collider != c.collider : left_.count(c.node) > 0) ++count_[c.node];
    }
  }
  /// Nodes that came back too often are not to leave again.
  void keep(Faults& faults, SolveReport& report) const {
    report.adhering = 0;
    report.largest_pull = 0;
    for (auto* pulled : {&faults.pulled, &faults.handed})
      pulled->erase(std::remove_if(pulled->begin(), pulled->end(),
                                   [&](const auto& p) {
                                     const auto it = count_.find(p.second.node);
                                     if (it == count_.end() || it->second < kReturns) return false;
                                     ++report.adhering;
                                     report.largest_pull = std::max(report.largest_pull, p.first);
                                     return true;
                                   }),
                    pulled->end());
  }

 private:
  std::set<Index> left_;
  std::map<Index, int> count_;
};

/// All faults mended at once; only the worst of them where a set comes back, or sets would go round in
/// circles.
Contacts mend(const Contacts& contacts, const Faults& faults, const std::vector<Contacts>& seen) {
  Contacts next = contacts;
  for (const auto& [size, c] : faults.pulled) leave(next, c);
  for (const auto& [size, c] : faults.entering) enter(next, c);
  for (const auto& [size, c] : faults.handed) hand(next, c);
  if (std::find(seen.begin(), seen.end(), next) == seen.end()) return next;
  next = contacts;
  const auto smaller = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!faults.entering.empty())
    enter(next, std::max_element(faults.entering.begin(), faults.entering.end(), smaller)->second);
  else if (faults.pulled.empty())
    hand(next, std::max_element(faults.handed.begin(), faults.handed.end(), smaller)->second);
  else
    leave(next, std::max_element(faults.pulled.begin(), faults.pulled.end(), smaller)->second);
  return next;
}

}  // namespace

void ActiveSet::Options::visit(ParamVisitor& v) {
  v.integer("max_trials", max_trials,
            {.doc = "sets of nodes in contact that are tried in a step", .min = 1, .max = 1e6});
  v.choice(
      "unsettled", unsettled, {"hold", "error"},
      {.doc = "what becomes of a node that is pulled if held and penetrates if let go: it stays held and is "
              "counted, or the step fails"});
  v.choice(
      "low_rank", low_rank, {"auto", "always", "never", "share"},
      {.doc = "held nodes enter the prefactored matrix by a Schur complement, or it is factorised without "
              "them; auto: what is less counted work; share: by their share of all nodes"});
  v.real("refactor_share", refactor_share,
         {.doc = "share of all nodes above which low_rank: share factorises anew", .min = 0, .max = 1});
}

void ActiveSet::check(const System& system, const BuildContext& context) const {
  for (std::size_t m = 0; m < system.contacts().size(); ++m)
    if (dynamic_cast<const PairLaw*>(system.contacts()[m]) != nullptr)
      throw context.input_error(
          "", fmt::format("this solver is for nodes that stick to colliders, but contacts[{}] finds what "
                          "touches by itself: semismooth_newton handles that",
                          system.contact_number(m)));
  for (std::size_t m = 0; m < system.contacts().size(); ++m)
    if (std::isfinite(system.contacts()[m]->friction()))
      throw context.input_error(
          "", fmt::format("this solver is for contact that sticks, but contacts[{}] has finite friction: "
                          "semismooth_newton handles that",
                          system.contact_number(m)));
  std::map<Index, std::size_t> model;
  for (std::size_t m = 0; m < system.contacts().size(); ++m)
    for (const Index i : system.contacts()[m]->nodes())
      if (const auto [it, is_new] = model.emplace(i, m); !is_new)
        throw context.input_error(
            "", fmt::format("{} is in contacts[{}] and in contacts[{}]; this solver needs all colliders of a "
                            "node in one of them",
                            system.describe_node(i, system.initial_state().x),
                            system.contact_number(it->second), system.contact_number(m)));
}

void ActiveSet::hold(const std::vector<NodeContact>& contacts, StepProblem& step) const {
  std::vector<Index> nodes;
  for (const NodeContact& c : contacts) nodes.push_back(c.node);
  const bool many =
      static_cast<double>(nodes.size()) > options_.refactor_share * static_cast<double>(step.size() / 3);
  if (options_.low_rank == "auto")
    step.hold(nodes, HoldBy::Counted);
  else
    step.hold(nodes, options_.low_rank == "never" || (options_.low_rank == "share" && many) ? HoldBy::Refactor
                                                                                            : HoldBy::Schur);
}

SolveReport ActiveSet::adjoint(const ContactProblem& p, ConstVec x, const Contacts& contacts, ConstVec dx,
                               MutVec w, ContactCotangent out) const {
  auto& s = p.step.workspace().slot<Scratch>(this);
  hold(contacts, p.step);
  s.rhs = dx;
  for (const NodeContact& c : contacts) {
    s.rhs.segment<3>(3 * c.node).setZero();
    w.segment<3>(3 * c.node).setZero();
  }
  const SolveReport report = p.backward.solve(p.step, x, s.rhs, w);
  // z = dL/dx - H w at the held nodes, whose law is x - place.
  s.none.assign(static_cast<std::size_t>(x.size()), 0);
  s.product.resize(x.size());
  p.step.hessian(x, false).multiply(w, s.product, s.none);
  const StepContext& c = p.step.context();
  for (const NodeContact& contact : contacts) {
    const Sticking sticking(p.system.colliders(),
                            *p.system.contacts()[static_cast<std::size_t>(contact.model)], c.time,
                            c.time_step);
    const Index at = 3 * contact.node;
    Vec3 pulled = Vec3::Zero();
    sticking.add_vjp(contact.collider, p.start.segment<3>(at), dx.segment<3>(at) - s.product.segment<3>(at),
                     pulled, out.theta, p.system.collider_offsets(),
                     p.system.contact_offset(static_cast<std::size_t>(contact.model)));
    out.start.segment<3>(at) += pulled;
  }
  return report;
}

SolveReport ActiveSet::solve(const ContactProblem& p, MutVec x, std::vector<NodeContact>& contacts) const {
  Search search(p, x);
  Contacts set;
  for (const NodeContact& c : contacts)
    if (!search.is_pinned(c.node)) set.push_back(c);
  // Without a step before, what touches at the start.
  if (contacts.empty())
    for (const auto& [depth, c] : search.penetrating(p.start, {}, -kDepth)) set.push_back(c);
  SolveReport total;
  std::vector<Contacts> seen;
  Returns returns;
  for (Index trial = 0; trial < options_.max_trials; ++trial) {
    seen.push_back(set);
    try {
      search.place(set);
    } catch (const Error& e) {
      if (e.code() != Errc::Numerics) throw;
      total.note = e.message();  // the caller's policy decides
      total.converged = false;
      hold(set, p.step);
      return total;
    }
    hold(set, p.step);
    const SolveReport report = p.forward.solve(p.step, x);
    total.iterations += report.iterations;
    total.evaluations += report.evaluations;
    total.linear_iterations += report.linear_iterations;
    total.residual = report.residual;
    total.tolerance = report.tolerance;
    total.note = report.note;
    p.step.hold({});
    Faults faults;
    if (report.converged) faults = search.judge(set, report.residual);
    if (options_.unsettled == "hold") returns.keep(faults, total);
    hold(set, p.step);
    contacts = set;
    total.converged = report.converged && faults.none();
    if (!report.converged || faults.none()) return total;
    const Contacts next = mend(set, faults, seen);
    returns.note(set, next);
    set = next;
  }
  total.note = fmt::format("the nodes in contact did not settle in {} trials", options_.max_trials);
  return total;
}

}  // namespace resilin

// What tests of surfaces that touch each other have in common: rollouts, the law, crossings.
#pragma once

#include "core/contact/pair_law.hpp"
#include "tests/support/contact.hpp"
#include "tests/support/intersections.hpp"

#include <cmath>

namespace resilin::test {

struct Rollout {
  std::unique_ptr<Simulation> sim;
  Tape tape;
  Index contacts() const {
    Index n = 0;
    for (const StepRecord& s : tape.records) n += static_cast<Index>(s.contacts.size());
    return n;
  }
};
inline Rollout run(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  Rollout r{make_simulation(scene, overrides), {}};
  r.sim->run(r.tape, true);
  return r;
}

/// The number of the scene's law between surfaces among its laws.
inline Index pair_law_number(const System& s) {
  for (std::size_t m = 0; m < s.contacts().size(); ++m)
    if (dynamic_cast<const PairLaw*>(s.contacts()[m]) != nullptr) return static_cast<Index>(m);
  throw std::runtime_error("the scene has no law between surfaces");
}

/// How many contacts of all steps stuck and slid.
struct Touches {
  Index stuck = 0, slid = 0;
};

/// Signorini's and Coulomb's law of one recorded contact.
inline void expect_law(const PairLaw& law, const ContactStep& at, const NodeContact& c, const VecX& end,
                       Touches& touches) {
  const double mu = law.friction();
  const ContactPair pair = law.find(at, c);
  const Vec3 moved = pair.gather(end) - pair.gather(at.start), force = c.impulse / at.time_step,
             &n = pair.normal, along = moved - n * n.dot(moved);
  for (const double w : pair.weights)
    EXPECT_LE(std::abs(w), 1 + 1e-6) << "held by what lies beyond a feature";
  const double normal = force.dot(n), scale = 1e-8 * (1 + force.norm());
  const Vec3 tangential = force - normal * n;
  EXPECT_NEAR(pair.gap + n.dot(moved), 0, 1e-9);
  EXPECT_GE(normal, -scale) << "pulled";
  EXPECT_LE(tangential.norm(), mu * normal + scale) << "outside of the cone";
  if (tangential.norm() < mu * normal - scale) {
    EXPECT_LE(along.norm(), 1e-9) << "slides with less than full friction";
    ++touches.stuck;
  } else {
    EXPECT_LE(tangential.dot(along), 1e-9 * force.norm()) << "friction drives";
    EXPECT_LE(tangential.cross(along).norm(), scale * along.norm() + 1e-9 * force.norm());
    ++touches.slid;
  }
}

/// No features at less than their distance, unless pins hold nodes on both sides along most of the
/// normal: that comes before contact.
inline void expect_nothing_missed(const System& s, const PairLaw& law, const ContactStep& at,
                                  const VecX& end) {
  std::vector<ContactPair> missed;
  law.detect(at, end, missed);
  for (const ContactPair& pair : missed) {
    bool first = false, second = false;
    for (std::size_t k = 0; k < 4 && pair.nodes[k] >= 0; ++k) {
      Vec3 free = pair.normal;
      for (Index axis = 0; axis < 3; ++axis)
        if (s.fixed(at.time)[static_cast<std::size_t>(3 * pair.nodes[k] + axis)]) free[axis] = 0;
      if (free.squaredNorm() < 0.5 && std::abs(pair.weights[k]) > 1e-9)
        (pair.weights[k] > 0 ? first : second) = true;
    }
    if (first && second) continue;
    EXPECT_GE(pair.gap + pair.normal.dot(pair.gather(end) - pair.gather(at.start)), -1e-9) << "too near";
  }
}

inline void expect_no_crossing(const System& s, const VecX& x, const std::string& when) {
  for (const auto& body : s.bodies())
    for (const auto& other : s.bodies()) {
      if (dimension_of(body->mesh.type) < 2 || dimension_of(other->mesh.type) < 2) continue;
      EXPECT_EQ(count_intersections(*body, *other, x), 0) << when;
    }
}

/// Signorini's and Coulomb's law at the end of each step, and no two features of surfaces that cross.
inline Touches expect_law(const Rollout& r) {
  const System& s = r.sim->system();
  const Index number = pair_law_number(s);
  const auto& law = dynamic_cast<const PairLaw&>(*s.contacts()[static_cast<std::size_t>(number)]);
  Touches touches;
  for (const StepRecord& step : r.tape.records) {
    SCOPED_TRACE("the step to " + std::to_string(step.context.time) + " s");
    const VecX &start = r.tape.states[static_cast<std::size_t>(step.before)].x,
               &end = r.tape.states[static_cast<std::size_t>(step.after)].x;
    const ContactStep at{s.colliders(), start, start, step.context.time, step.context.time_step, s.fixed()};
    for (const NodeContact& c : step.contacts)
      if (c.model == number) expect_law(law, at, c, end, touches);
    expect_nothing_missed(s, law, at, end);
    expect_no_crossing(s, end, std::to_string(step.context.time));
    if (::testing::Test::HasFailure()) break;  // one step says enough
  }
  return touches;
}

}  // namespace resilin::test

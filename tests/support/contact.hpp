// What tests of contact have in common.
#pragma once

#include "core/solve/simulation.hpp"
#include "tests/support/components.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace resilin::test {

/// Central differences of a functional of the last state along the gradient itself and a random direction.
inline void expect_contact_gradient(const char* scene, const std::vector<std::string>& overrides,
                                    const std::vector<std::string>& paths) {
  const auto sim = make_simulation(scene, overrides);
  System& s = sim->system();
  const VecX theta = s.parameters().values(), wx = random_vector(s.num_dofs(), 3),
             wv = 0.1 * random_vector(s.num_dofs(), 4);
  // The contacts of all steps, with whether they slide: a difference between others crosses a kink.
  using Branch = std::vector<NodeContact>;
  const auto loss = [&](const VecX& at, Branch& contacts) {
    s.set_parameters(at);
    Tape tape;
    sim->run(tape, true);
    contacts.clear();
    for (const StepRecord& r : tape.records)
      contacts.insert(contacts.end(), r.contacts.begin(), r.contacts.end());
    return wx.dot(tape.states.back().x) + wv.dot(tape.states.back().v);
  };
  s.set_parameters(theta);
  Tape tape;
  sim->run(tape, true);
  const VecX gradient = sim->gradient(tape, [&](Index k, Adjoint& a) {
    if (k == sim->num_steps()) a.x += wx, a.v += wv;
  });
  Branch expected;
  loss(theta, expected);
  ASSERT_GT(expected.size(), 10u) << "hardly any contact";
  for (const std::string& path : paths) {
    const auto entries = s.parameters().find(path);
    ASSERT_FALSE(entries.empty()) << path;
    const Index offset = entries.front()->offset, size = entries.front()->size;
    const VecX own = gradient.segment(offset, size);
    ASSERT_GT(own.norm(), 0) << path;
    const double scale = std::max(1e-2, theta.segment(offset, size).norm());
    for (const VecX& part : {VecX(own.normalized()), VecX(random_vector(size, 7).normalized())}) {
      VecX direction = VecX::Zero(theta.size());
      direction.segment(offset, size) = part;
      double best = std::numeric_limits<double>::infinity();
      for (const double step : {1e-4, 1e-5, 1e-6}) {
        Branch plus, minus;
        const double d = step * scale;
        const double difference =
            (loss(theta + d * direction, plus) - loss(theta - d * direction, minus)) / (2 * d);
        if (plus != expected || minus != expected) continue;  // another branch
        // A random direction is nearly orthogonal to a gradient of many entries.
        best = std::min(best, std::abs(difference - own.dot(part)) / (own.norm() / std::sqrt(double(size))));
      }
      EXPECT_LT(best, 1e-6) << path;
    }
  }
}

}  // namespace resilin::test

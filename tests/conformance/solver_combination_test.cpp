// Every forward solver with every backward solver and linear solver: the same motion and the same gradient.
#include "tests/support/components.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

struct BeamCase {
  std::string name, element, materials;
};
void PrintTo(const BeamCase& c, std::ostream* out) {
  *out << c.name;
}
const BeamCase kBeams[] = {
    {"corotated_hex8", "hex8", "[{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]"},
    {"corotated_tet4", "tet4", "[{type: corotated, E: 1e5, nu: 0.4}, {type: volume, E: 1e5, nu: 0.4}]"},
    {"neo_hookean_hex8", "hex8", "[{type: neo_hookean, E: 1e5, nu: 0.4}]"},
    {"neo_hookean_tet4", "tet4", "[{type: neo_hookean, E: 1e5, nu: 0.4}]"}};

struct Choice {
  std::string integrator, forward, backward, linear;
};

struct Outcome {
  State last;
  VecX gradient;
};

Outcome simulate(const BeamCase& beam, const Choice& c) {
  const SceneFile file =
      read_scene(fmt::format(R"(
time: {{step: 0.01, steps: 3}}
bodies:
  beam:
    mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1], element: {}}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
    initial: {{velocity: [0.1, 0, 0.5]}}
forces: {{push: {{type: nodal_force, force: [0.01, 0.02, 0]}}}}
integrator: {{type: {}}}
forward: {{type: {}}}
backward: {{type: {}}}
linear_solver: {{type: {}}}
losses: [{{loss: {{type: linear_functional, positions: [1, 2, 3], velocities: [0.01, 0.02, 0.03]}}}}]
)",
                             beam.element, beam.materials, c.integrator, c.forward, c.backward, c.linear));
  TaskOptions options = file.options;
  // Without inertia a fixed point takes its time.
  OptionFiller tight({{"relative_tolerance", 1e-10}, {"absolute_tolerance", 0}, {"max_iterations", 50000}});
  options.scene.forward.options->visit(tight);
  options.scene.backward.options->visit(tight);
  Task task(options, registry(), file.places);
  Outcome outcome;
  Tape tape;
  task.simulation().run(tape, true);
  outcome.last = tape.states.back();
  task.evaluate_table(outcome.gradient);
  return outcome;
}

class EverySolver : public ::testing::TestWithParam<std::tuple<BeamCase, std::string>> {};

TEST_P(EverySolver, ReachesTheSameStateAndGradient) {
  const auto& [beam, integrator] = GetParam();
  const auto forward = registry().types("forward_solver"), backward = registry().types("backward_solver"),
             linear = registry().types("linear_solver");
  const Outcome expected = simulate(beam, {integrator, forward.front(), backward.front(), linear.front()});
  // In statics nothing moves with a velocity, and nothing depends on where it began.
  const bool is_static = expected.last.v.isZero(0);
  if (!is_static) {
    ASSERT_GT(expected.last.v.norm(), 1e-2);
  }
  Task task = [&, &b = beam] {
    const SceneFile file =
        read_scene(fmt::format("{{bodies: {{beam: {{mesh: {{generator: {{type: box, size: [0.4, 0.1, 0.1], "
                               "cells: [4, 1, 1], element: {}}}}}, "
                               "materials: {}, pins: [{{nodes: {{indices: [0]}}}}]}}}}, forces: {{push: "
                               "{{type: nodal_force, force: [0, 0, "
                               "0]}}}}, losses: [{{loss: {{type: "
                               "linear_functional}}}}]}}",
                               b.element, b.materials));
    return Task(file.options, registry(), file.places);
  }();
  const std::vector<ParameterEntry>& entries = task.simulation().system().parameters().entries();
  for (const std::string& f : forward)
    for (const std::string& b : backward)
      for (const std::string& l : linear) {
        SCOPED_TRACE(f + " " + b + " " + l);
        const Outcome o = simulate(beam, {integrator, f, b, l});
        EXPECT_LT(relative_error(o.last.x, expected.last.x), 1e-8);
        EXPECT_LE((o.last.v - expected.last.v).norm(), 1e-8 * expected.last.v.norm());
        ASSERT_EQ(o.gradient.size(), expected.gradient.size());
        for (const ParameterEntry& e : entries) {
          const VecX part = expected.gradient.segment(e.offset, e.size);
          if (is_static && e.path.find(".initial.") != std::string::npos) {
            EXPECT_TRUE(o.gradient.segment(e.offset, e.size).isZero(0)) << e.path;
            continue;
          }
          EXPECT_GT(part.norm(), 0) << e.path;
          EXPECT_LT((o.gradient.segment(e.offset, e.size) - part).norm(), 1e-8 * part.norm()) << e.path;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySolver,
                         ::testing::Combine(::testing::ValuesIn(kBeams),
                                            ::testing::ValuesIn(registry().types("integrator"))),
                         [](const auto& p) {
                           return std::get<0>(p.param).name + "_" + std::get<1>(p.param);
                         });

}  // namespace
}  // namespace resilin::test

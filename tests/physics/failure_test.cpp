// Steps that cannot be solved: what is said about them, and how halving them helps.
#include "core/base/error.hpp"
#include "tests/physics/statics.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

using ::testing::HasSubstr;

class Failure : public SceneTest {
 protected:
  /// A soft block thrown against its pins, in steps that are far too long for the few iterations allowed.
  static std::string thrown_block(const std::string& materials) {
    return fmt::format(R"(
time: {{step: 0.2, steps: 3}}
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.2, 0.1, 0.1], cells: [4, 2, 2]}}}}
    materials: {}
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
    initial: {{velocity: [-3, 0.5, 0], angular_velocity: [20, 0, 10]}}
forward: {{type: newton, max_iterations: 4}}
)",
                       materials);
  }
  static Error run_and_fail(const Simulation& sim, Tape& tape) {
    try {
      sim.run(tape, true);
    } catch (const Error& e) {
      return e;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {Errc::Internal, ""};
  }
};

TEST_F(Failure, HugeStepStopsWithItsNumberAndAReason) {
  const auto sim = simulation(thrown_block(solid("neo_hookean", 1e5, 0.4)));
  Tape tape;
  const Error e = run_and_fail(*sim, tape);
  EXPECT_EQ(e.code(), Errc::Numerics);
  EXPECT_THAT(e.what(), HasSubstr("step 1 (t = 0.2 s) did not converge after 4 iterations"));
  EXPECT_THAT(e.what(), HasSubstr("on_failure: halve_step"));
  // The tape keeps what was solved: the initial state.
  EXPECT_EQ(tape.states.size(), 1U);
  EXPECT_EQ(tape.records.size(), 0U);
}

TEST_F(Failure, HalvedStepsGetThroughAndKeepElementsUpright) {
  const auto sim = simulation(thrown_block(solid("neo_hookean", 1e5, 0.4)), {"on_failure=halve_step"});
  Tape tape;
  const RolloutReport report = sim->run(tape, true);
  EXPECT_EQ(report.steps, 3);
  EXPECT_GT(report.halvings, 0);
  EXPECT_EQ(report.not_converged, 0);
  ASSERT_EQ(tape.frames.size(), 4U);
  EXPECT_EQ(static_cast<Index>(tape.records.size()), 3 + report.halvings);
  double t = 0;
  for (const StepRecord& r : tape.records) {
    t += r.context.time_step;
    const State& s = tape.states[static_cast<std::size_t>(r.after)];
    EXPECT_NEAR(s.t, t, 1e-12);
    EXPECT_EQ(sim->system().diagnose(r.context, s.x), "");
  }
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(tape.states[static_cast<std::size_t>(tape.frames[k])].t, 0.2 * static_cast<double>(k), 1e-12);
}

// A material that is defined for inverted elements stops inside one: the message names it.
TEST_F(Failure, NamesTheElementThatIsInverted) {
  const std::string yaml = thrown_block(solid("stable_neo_hookean", 1e5, 0.4));
  const auto sim = simulation(yaml, {"forward.max_iterations=1"});
  Tape tape;
  const Error e = run_and_fail(*sim, tape);
  EXPECT_EQ(e.code(), Errc::Numerics);
  EXPECT_THAT(e.what(), HasSubstr("step 1 "));
  EXPECT_THAT(e.what(), ::testing::ContainsRegex("body block: element [0-9]+ is inverted \\(det F = -"));
  const auto halved = simulation(yaml, {"on_failure=halve_step"});
  EXPECT_EQ(halved->run(tape, true).steps, 3);
}

TEST_F(Failure, NeoHookeanStartedInsideOutNamesItsElement) {
  const Mesh mesh = make_box({0.3, 0.1, 0.1}, {3, 1, 1}, ElementType::Hex8);
  Mat3X x = mesh.vertices;
  // The far end pushed through the section before it: element 2, and only that one, is inside out.
  for (Index i = 0; i < x.cols(); ++i)
    if (x(0, i) > 0.29) x(0, i) = 0.15;
  files_.write("start.csv", csv_text(x));
  const std::string yaml = fmt::format(R"(
time: {{step: 0.01, steps: 2}}
bodies:
  block:
    mesh: {{generator: {{type: box, size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}}}
    materials: {}
    initial: {{positions: start.csv}}
)",
                                       solid("neo_hookean", 1e5, 0.4));
  for (const char* forward : {"newton", "pd", "pd_newton_krylov"})
    for (const char* policy : {"stop", "halve_step"}) {
      SCOPED_TRACE(std::string(forward) + " " + policy);
      const auto sim =
          simulation(yaml, {std::string("forward.type=") + forward, std::string("on_failure=") + policy});
      Tape tape;
      const Error e = run_and_fail(*sim, tape);
      EXPECT_EQ(e.code(), Errc::Numerics);
      EXPECT_THAT(e.what(), HasSubstr("step 1 "));
      EXPECT_THAT(e.what(), HasSubstr("not a number"));
      EXPECT_THAT(e.what(), HasSubstr("element 2 is inverted (det F = -0.5)"));
    }
}

}  // namespace
}  // namespace resilin::test

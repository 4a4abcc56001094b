#include "core/optim/gradcheck.hpp"

#include "core/optim/frame_loss.hpp"
#include "tests/support/components.hpp"

#include <cmath>

namespace resilin::test {
namespace {

/// L = sum of x^2 over the last frame, and of v^2/100; its gradient in x is `factor` times the right one.
class SeededLoss : public FrameLoss {
 public:
  SeededLoss(double factor, bool forget_velocities)
      : factor_(factor), forget_velocities_(forget_velocities) {}
  bool counts(Index k, Index last) const override { return k == last; }
  double frame_value(const State& s, Index) const override {
    return s.x.squaredNorm() + 0.01 * s.v.squaredNorm();
  }
  void add_frame_gradient(const State& s, Index, double weight, Adjoint& a) const override {
    a.x += factor_ * weight * 2 * s.x;
    if (!forget_velocities_) a.v += factor_ * weight * 0.02 * s.v;
  }

 private:
  double factor_;
  bool forget_velocities_;
};
struct NoOptions {
  void visit(ParamVisitor&) {}
};
struct RightLoss final : SeededLoss {
  using Options = NoOptions;
  RightLoss(const Options&, const BuildContext&) : SeededLoss(1, false) {}
};
struct DoubledLoss final : SeededLoss {
  using Options = NoOptions;
  DoubledLoss(const Options&, const BuildContext&) : SeededLoss(2, false) {}
};
struct NegatedLoss final : SeededLoss {
  using Options = NoOptions;
  NegatedLoss(const Options&, const BuildContext&) : SeededLoss(-1, false) {}
};
struct ForgetfulLoss final : SeededLoss {
  using Options = NoOptions;
  ForgetfulLoss(const Options&, const BuildContext&) : SeededLoss(1, true) {}
};
struct SlightlyWrongLoss final : SeededLoss {
  using Options = NoOptions;
  SlightlyWrongLoss(const Options&, const BuildContext&) : SeededLoss(1 + 1e-4, false) {}
};

class Gradcheck : public ::testing::Test {
 protected:
  Gradcheck() {
    registry_.load_folder(RESILIN_PLUGIN_DIR);
    registry_.add<Loss, RightLoss>("right", "a");
    registry_.add<Loss, DoubledLoss>("doubled", "a");
    registry_.add<Loss, NegatedLoss>("negated", "a");
    registry_.add<Loss, ForgetfulLoss>("forgetful", "a");
    registry_.add<Loss, SlightlyWrongLoss>("slightly_wrong", "a");
  }
  std::unique_ptr<Task> task(const std::string& loss) {
    const std::string yaml = R"(
time: {step: 0.01, steps: 3}
bodies:
  a:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: neo_hookean, E: 1e5, nu: 0.4}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
    initial: {velocity: [0.1, 0.2, 0.3]}
forward: {relative_tolerance: 1e-11, absolute_tolerance: 0}
backward: {type: direct}
)";
    const SceneFile f = load_scene(
        folder_.write("scene.yaml", yaml + "losses: [{loss: {type: " + loss + "}}]\n"), {}, registry_);
    return std::make_unique<Task>(f.options, registry_, f.places);
  }
  GradcheckReport check(const std::string& loss, GradcheckOptions options = {}) {
    return check_gradient(*task(loss), options);
  }
  TestFolder folder_;
  Registry registry_;
};

TEST_F(Gradcheck, PassesARightGradientInEveryGroupAndDirection) {
  const GradcheckReport r = check("right");
  EXPECT_TRUE(r.passed);
  EXPECT_LT(r.worst_error, 1e-6);
  EXPECT_GT(r.loss, 0);
  std::map<std::string, int> rows;
  for (const GradcheckRow& row : r.rows) {
    ++rows[row.path];
    EXPECT_TRUE(row.passed) << row.path << " " << row.direction << ": " << row.error;
  }
  EXPECT_EQ(rows["bodies.a.materials[0].youngs_modulus"], 1);
  EXPECT_EQ(rows["bodies.a.initial.velocities"], 1 + 2 + 3);  // the gradient, random directions, coordinates
  EXPECT_EQ(rows["gravity"], 1 + 2 + 3);
  EXPECT_EQ(rows.size(), 8u);
}

TEST_F(Gradcheck, FindsAFactorOfTwoAndAWrongSign) {
  for (const char* loss : {"doubled", "negated"}) {
    const GradcheckReport r = check(loss);
    EXPECT_FALSE(r.passed) << loss;
    const double expected = std::string(loss) == "doubled" ? 0.5 : 2.0;
    EXPECT_NEAR(r.worst_error, expected, 1e-4) << loss;
    for (const GradcheckRow& row : r.rows) {
      const bool pinned = row.adjoint == 0;  // neither moves nor pulls
      EXPECT_TRUE(!row.passed || row.below_noise || pinned)
          << loss << " " << row.path << " " << row.direction;
    }
  }
}

TEST_F(Gradcheck, FindsAForgottenPartAndASmallError) {
  EXPECT_FALSE(check("forgetful").passed);
  const GradcheckReport small = check("slightly_wrong");
  EXPECT_FALSE(small.passed);
  EXPECT_NEAR(small.worst_error, 1e-4, 2e-5);
  GradcheckOptions loose;
  loose.tolerance = 1e-3;
  EXPECT_TRUE(check("slightly_wrong", loose).passed);
}

TEST_F(Gradcheck, ChecksTheGroupsThatAreAskedForAndLeavesTheParametersAsTheyWere) {
  const auto t = task("right");
  const VecX before = t->simulation().system().parameters().values();
  GradcheckOptions options;
  options.paths = {"bodies.*.materials[*].youngs_modulus", "gravity"};
  options.random_directions = 0;
  options.coordinates = 1;
  const GradcheckReport r = check_gradient(*t, options);
  ASSERT_EQ(r.rows.size(), 3u);
  EXPECT_EQ(r.rows[0].path, "bodies.a.materials[0].youngs_modulus");
  EXPECT_EQ(r.rows[0].direction, "value");
  EXPECT_EQ(r.rows[1].direction, "gradient");
  EXPECT_EQ(r.rows[2].direction.rfind("coordinate ", 0), 0u);
  EXPECT_EQ(t->simulation().system().parameters().values(), before);
  options.paths = {"bodies.a.nothing"};
  EXPECT_THROW((void)check_gradient(*t, options), Error);
}

TEST_F(Gradcheck, TheRemainderOfARightGradientFallsWithTheSquareOfTheStep) {
  GradcheckOptions options;
  options.paths = {"bodies.a.initial.velocity"};
  int measured = 0;
  for (const GradcheckRow& row : check("right", options).rows) {
    if (std::isnan(row.taylor_order)) continue;
    EXPECT_NEAR(row.taylor_order, 2, 0.1) << row.direction;
    ++measured;
  }
  EXPECT_GT(measured, 2);
  for (const GradcheckRow& row : check("doubled", options).rows) {
    EXPECT_NEAR(row.taylor_order, 1, 0.1) << row.direction;
  }
}

TEST_F(Gradcheck, IsRepeatable) {
  const GradcheckReport a = check("right"), b = check("right");
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_EQ(a.rows[i].difference, b.rows[i].difference);
}

constexpr const char* kEndOfRange = R"(
time: {step: 0.01, steps: 2}
forward: {relative_tolerance: 1e-11, absolute_tolerance: 0}
backward: {type: direct}
bodies:
  box:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.3}, {type: muscle, stiffness: 0, activation: 0.5}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
losses: [{loss: {type: linear_functional, positions: [1, 2, 3]}}]
)";

TEST(GradientCheck, AParameterAtTheEndOfItsRangeIsCheckedFromOneSide) {
  const auto task = make_task(kEndOfRange);
  GradcheckOptions options;
  options.paths = {"bodies.box.materials[1].stiffness"};
  const GradcheckReport report = check_gradient(*task, options);
  ASSERT_EQ(report.rows.size(), 1U);
  const GradcheckRow& row = report.rows[0];
  EXPECT_TRUE(row.one_sided);
  EXPECT_FALSE(row.at_bound);
  EXPECT_TRUE(report.passed) << row.adjoint << " " << row.difference;
  EXPECT_FALSE(row.below_noise);
  EXPECT_LT(row.error, 1e-6);
  EXPECT_GT(std::abs(row.adjoint), 0);
}

TEST(GradientCheck, OneSidedDifferencesOfAFieldPointIntoTheRange) {
  // Two elements: one at the lower end of the activation's range, one inside.
  const auto task = make_task(
      kEndOfRange, {"bodies.box.materials[1].stiffness=2e4", "bodies.box.materials[1].activation=[0, 0.5]"});
  GradcheckOptions options;
  options.paths = {"bodies.box.materials[1].activation"};
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_TRUE(report.passed);
  int one_sided = 0;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_LT(row.error, 1e-6) << row.direction;
    one_sided += row.one_sided ? 1 : 0;
  }
  EXPECT_GE(one_sided, 3);
}

/// At the scene's own parameters the distance to its own motion is zero up to rounding, and so is its
/// gradient.
constexpr const char* kOwnMotion = R"(
time: {step: 0.01, steps: 4}
forward: {relative_tolerance: 1e-11, absolute_tolerance: 0}
bodies:
  box:
    mesh: {generator: {type: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.3}, {type: volume, E: 1e5, nu: 0.3}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
losses: [{loss: {type: match_trajectory}}]
)";

TEST(GradientCheck, AGradientThatIsZeroUpToRoundingPassesAsSuch) {
  for (const char* forward : {"newton", "pd_newton_krylov"}) {
    const auto task = make_task(kOwnMotion, {std::string("forward={type: ") + forward +
                                             ", relative_tolerance: 1e-11, absolute_tolerance: 0}"});
    // One unit in the last place away, so that the loss is not exactly zero.
    VecX theta = task->simulation().system().parameters().values();
    for (double& v : theta) v = std::nextafter(v, 1e300);
    VecX ignored;
    task->evaluate_table(ignored);  // makes the reference
    task->simulation().system().set_parameters(theta);
    const GradcheckReport report = check_gradient(*task, {});
    EXPECT_TRUE(report.passed) << forward;
    for (const GradcheckRow& row : report.rows) {
      EXPECT_TRUE(row.passed) << forward << " " << row.path << " " << row.direction << ": " << row.adjoint
                              << " " << row.difference << " noise " << row.noise;
      EXPECT_TRUE(row.below_noise || row.error <= 1e-6);
    }
    EXPECT_LE(report.worst_error, 1e-6);
  }
}

TEST(GradientCheck, TheNoiseOfADifferenceIsFarBelowAGradientThatIsThere) {
  // Away from the optimum the same noise hides nothing: it is at most a millionth of each derivative.
  const auto task = make_task(kOwnMotion);
  VecX ignored;
  task->evaluate_table(ignored);
  VecX theta = task->simulation().system().parameters().values();
  for (const ParameterEntry* e :
       task->simulation().system().parameters().find("bodies.box.materials[*].youngs_modulus"))
    theta.segment(e->offset, e->size) *= 1.5;
  task->simulation().system().set_parameters(theta);
  VecX gradient;
  const double loss = task->evaluate_table(gradient);
  const double noise = task->last_noise.total();
  EXPECT_GT(noise, 1e-17 * loss);
  EXPECT_LT(noise, 1e-7 * loss);
  GradcheckOptions options;
  options.paths = {"bodies.box.materials[*].youngs_modulus", "gravity"};
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_TRUE(report.passed);
  EXPECT_FALSE(report.rows[0].below_noise);
}

/// A cube falls flat on the ground in its second step, or a little tilted.
std::string falling(double tilt) {
  return R"(
time: {step: 0.01, steps: 4}
forward: {relative_tolerance: 1e-11, absolute_tolerance: 0}
backward: {relative_tolerance: 1e-11}
bodies:
  box:
    mesh: {generator: {type: box, size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}
    materials: [{type: corotated, E: 1e5, nu: 0.3}]
    initial: {translation: [0, 0, 0.01], velocity: [0, 0, -0.6], rotation: [)" +
         std::to_string(tilt) + R"(, 0.02, 0]}
colliders: {ground: {type: plane}}
contacts: [{type: complementarity}]
losses: [{loss: {type: linear_functional, of: center_of_mass, positions: [0.3, 0.2, 1]}}]
)";
}

TEST(GradientCheck, DifferencesAcrossAChangeOfContactAreAvoided) {
  const auto task = make_task(falling(0.05));
  GradcheckOptions options;
  options.paths = {"bodies.box.initial.velocity", "bodies.box.initial.rotation",
                   "bodies.box.initial.translation"};
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_TRUE(report.passed);
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.contact_changes.empty()) << row.path << " " << row.direction;
    EXPECT_LT(row.error, 1e-6) << row.path << " " << row.direction;
  }
}

TEST(GradientCheck, WhereEveryStepCrossesAChangeOfContactTheStepsAreNamed) {
  // A weightless cube at rest on the ground: whatever drives it down makes it touch, whatever lifts it does
  // not.
  const auto task = make_task(
      falling(0), {"gravity=[0, 0, 0]", "bodies.box.initial.translation=[0, 0, 0]",
                   "bodies.box.initial.rotation=[0, 0, 0]", "bodies.box.initial.velocity=[0, 0, 0]"});
  ContactHistory contacts;
  (void)task->loss_of_table(&contacts);
  EXPECT_EQ(contacts.size(), 4U);
  GradcheckOptions options;
  options.paths = {"bodies.box.initial.velocity"};
  const GradcheckReport report = check_gradient(*task, options);
  EXPECT_FALSE(report.passed);
  Index named = 0;
  for (const GradcheckRow& row : report.rows) {
    if (row.direction != "coordinate 2") continue;
    ASSERT_FALSE(row.contact_changes.empty());
    EXPECT_EQ(row.contact_changes.front(), 1);
    EXPECT_GT(row.error, 0.4) << "the derivatives of both sides differ";
    ++named;
  }
  EXPECT_EQ(named, 1);
}

}  // namespace
}  // namespace resilin::test

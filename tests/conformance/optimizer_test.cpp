// Every registered optimizer on functions whose minimum is known.
#include "core/optim/optimizer.hpp"

#include "core/base/interrupt.hpp"
#include "tests/support/components.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace resilin::test {
namespace {

/// A function with bounds; remembers where it was asked.
class Recorded final : public Objective {
 public:
  using Function = std::function<double(const VecX& u, VecX& gradient)>;
  Recorded(Function f, VecX from, VecX to) : lower(std::move(from)), upper(std::move(to)), f_(std::move(f)) {}
  Index size() const override { return lower.size(); }
  double evaluate(ConstVec u, MutVec gradient) override {
    asked.push_back(u);
    VecX g(size());
    const double value = f_(u, g);
    gradient = g;
    values.push_back(value);
    ++gradients;
    return value;
  }
  double value(ConstVec u) override {
    asked.push_back(u);
    VecX unused(size());
    const double value = f_(u, unused);
    values.push_back(value);
    return value;
  }
  Index gradients = 0;  ///< evaluations that asked for one
  VecX lower, upper;
  std::vector<VecX> asked;
  std::vector<double> values;

 private:
  Function f_;
};

double rosenbrock(const VecX& u, VecX& g) {
  const double a = 1 - u[0], b = u[1] - u[0] * u[0];
  g = Eigen::Vector2d(-2 * a - 400 * u[0] * b, 200 * b);
  return a * a + 100 * b * b;
}

/// sum_i c_i (u_i - i)^2 / 2 with c from 1 to 100.
double quadratic(const VecX& u, VecX& g) {
  double sum = 0;
  for (Index i = 0; i < u.size(); ++i) {
    const double c = std::pow(100.0, static_cast<double>(i) / static_cast<double>(u.size() - 1));
    const double d = u[i] - static_cast<double>(i);
    sum += 0.5 * c * d * d;
    g[i] = c * d;
  }
  return sum;
}

/// Options for those that need more iterations than their defaults allow on badly scaled functions.
std::map<std::string, double> patient(const std::string& type) {
  const std::map<std::string, std::map<std::string, double>> all = {
      {"adam", {{"max_iterations", 5000}}},
      {"gradient_descent", {{"max_iterations", 10000}, {"patience", 20}}},
      // Mutations that are alike in all directions are as slow as Rosenbrock's valley is narrow.
      {"one_plus_one_es", {{"max_iterations", 100'000}, {"patience", 10'000}}}};
  const auto found = all.find(type);
  return found == all.end() ? std::map<std::string, double>{} : found->second;
}

class EveryOptimizer : public ::testing::TestWithParam<std::string> {
 protected:
  /// Whether it has this option itself; one that is made of others leaves stopping rules to them.
  static bool has(const std::string& option) {
    FactCollector options;
    registry().make_options("optimizer", GetParam())->visit(options);
    return std::any_of(options.facts.begin(), options.facts.end(),
                       [&](const ParameterFact& fact) { return fact.path == option; });
  }
  static std::unique_ptr<Optimizer> optimizer(const std::map<std::string, double>& options) {
    BuildContext context;
    context.registry = &registry();
    return make_component<Optimizer>(GetParam(), context, options);
  }
  OptimizerReport run(Objective& f, const VecX& lower, const VecX& upper, VecX& u,
                      const std::map<std::string, double>& options) {
    return optimizer(options)->minimize(f, lower, upper, u);
  }
  OptimizerReport run_rosenbrock(const std::map<std::string, double>& options) {
    Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
    VecX u = Eigen::Vector2d(-1.2, 1);
    const OptimizerReport r = run(f, f.lower, f.upper, u, options);
    EXPECT_EQ(r.evaluations, static_cast<Index>(f.asked.size()));
    EXPECT_EQ(r.loss, *std::min_element(f.values.begin(), f.values.end()));
    return r;
  }
  VecX minimize(Recorded& f, const VecX& start) {
    VecX u = start;
    const OptimizerReport r = run(f, f.lower, f.upper, u, patient(GetParam()));
    EXPECT_FALSE(r.note.empty());
    EXPECT_GT(r.iterations, 0);
    EXPECT_EQ(r.loss, *std::min_element(f.values.begin(), f.values.end())) << "not the best point";
    for (const VecX& at : f.asked) {
      EXPECT_TRUE(((at - f.lower).array() >= 0).all() && ((f.upper - at).array() >= 0).all())
          << "left the bounds: " << at.transpose();
    }
    VecX g(u.size());
    EXPECT_EQ(f.evaluate(u, g), r.loss);
    return u;
  }
};

TEST_P(EveryOptimizer, FindsTheMinimumOfAQuadraticWithinBounds) {
  const Index n = 6;
  VecX lower = VecX::Constant(n, -2), upper = VecX::Constant(n, 2.5);
  lower[0] = 0.5;  // the free minimum at 0, 1, ..., 5 is outside at both ends
  Recorded f(quadratic, lower, upper);
  const VecX u = minimize(f, VecX::Constant(n, 1.5));
  VecX expected(n);
  expected << 0.5, 1, 2, 2.5, 2.5, 2.5;
  EXPECT_LT((u - expected).norm(), 1e-4);
}

TEST_P(EveryOptimizer, FindsTheMinimumOfRosenbrocksFunction) {
  Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  const VecX u = minimize(f, Eigen::Vector2d(-1.2, 1));
  EXPECT_LT((u - Eigen::Vector2d(1, 1)).norm(), 1e-3);
}

TEST_P(EveryOptimizer, StopsAtTheBoundThatHidesRosenbrocksMinimum) {
  Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(0.5, 2));
  const VecX u = minimize(f, Eigen::Vector2d(-1.2, 1));
  EXPECT_LT((u - Eigen::Vector2d(0.5, 0.25)).norm(), 1e-3);
}

TEST_P(EveryOptimizer, AsksTheSameQuestionsAgain) {
  std::vector<VecX> asked[2];
  for (auto& list : asked) {
    Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(0.9, 2));
    minimize(f, Eigen::Vector2d(-1.2, 1));
    list = f.asked;
  }
  ASSERT_EQ(asked[0].size(), asked[1].size());
  ASSERT_GT(asked[0].size(), 5u);
  for (std::size_t i = 0; i < asked[0].size(); ++i) EXPECT_TRUE(asked[0][i] == asked[1][i]) << i;
}

TEST_P(EveryOptimizer, StaysAtAMinimumThatItStartsFrom) {
  Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(1, 1);
  const OptimizerReport r = optimizer({})->minimize(f, f.lower, f.upper, u);
  EXPECT_EQ(u, Eigen::Vector2d(1, 1));
  EXPECT_EQ(r.loss, 0);
}

TEST_P(EveryOptimizer, RefusesALossThatIsNotANumber) {
  Recorded f(
      [](const VecX&, VecX& g) {
        g.setZero();
        return std::numeric_limits<double>::quiet_NaN();
      },
      Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(0, 0);
  EXPECT_THROW((void)optimizer({})->minimize(f, f.lower, f.upper, u), Error);
}

TEST_P(EveryOptimizer, HonoursEachStoppingRuleAndSaysWhich) {
  const auto says = [](const OptimizerReport& r, const char* part) {
    EXPECT_NE(r.note.find(part), std::string::npos) << r.note;
  };
  // What runs other optimizers has no rules of its own: its members stop by theirs, which are checked here
  // too.
  if (!has("max_evaluations")) GTEST_SKIP() << "leaves that to its members";
  const OptimizerReport evaluations = run_rosenbrock({{"max_evaluations", 7}});
  EXPECT_EQ(evaluations.evaluations, 7);
  EXPECT_FALSE(evaluations.converged);
  says(evaluations, "evaluation limit");
  const OptimizerReport seconds = run_rosenbrock({{"max_seconds", 0}});
  EXPECT_EQ(seconds.evaluations, 1);
  EXPECT_FALSE(seconds.converged);
  says(seconds, "time limit");
  const OptimizerReport iterations = run_rosenbrock({{"max_iterations", 2}});
  EXPECT_EQ(iterations.iterations, 2);
  EXPECT_FALSE(iterations.converged);
  says(iterations, "iteration limit");
  if (has("gradient_tolerance")) {
    const OptimizerReport gradient = run_rosenbrock({{"gradient_tolerance", 1e9}});
    EXPECT_EQ(gradient.evaluations, 1);
    EXPECT_TRUE(gradient.converged);
    says(gradient, "gradient");
  } else {
    const OptimizerReport step = run_rosenbrock({{"step_tolerance", 1e9}});
    EXPECT_LE(step.iterations, 1);
    EXPECT_TRUE(step.converged);
    says(step, "step_tolerance");
  }
  const OptimizerReport loss = run_rosenbrock({{"loss_tolerance", 1e9}, {"patience", 3}});
  EXPECT_EQ(loss.iterations, 3);
  EXPECT_TRUE(loss.converged);
}

TEST_P(EveryOptimizer, AsksForGradientsOnlyIfItHasARuleAboutThem) {
  Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(-1.2, 1);
  (void)run(f, f.lower, f.upper, u, {});
  if (has("gradient_tolerance")) {
    EXPECT_EQ(f.gradients, static_cast<Index>(f.asked.size()));
  } else if (has("max_evaluations")) {
    EXPECT_EQ(f.gradients, 0);
  }
}

TEST_P(EveryOptimizer, EndsWithTheBestPointWhenTheBudgetIsSpent) {
  for (const std::size_t budget : {std::size_t{1}, std::size_t{2}, std::size_t{12}, std::size_t{40}}) {
    Recorded f(
        [&](const VecX& u, VecX& g) {
          if (f.asked.size() > budget) throw BudgetSpent("the money is gone");
          return rosenbrock(u, g);
        },
        Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
    VecX u = Eigen::Vector2d(-1.2, 1);
    const OptimizerReport r = run(f, f.lower, f.upper, u, {});
    EXPECT_FALSE(r.converged);
    EXPECT_EQ(r.evaluations, static_cast<Index>(budget));
    EXPECT_EQ(f.asked.size(), budget + 1) << "asked again after the end";
    EXPECT_EQ(r.loss, *std::min_element(f.values.begin(), f.values.end()));
    VecX g(2);
    EXPECT_EQ(rosenbrock(u, g), r.loss);
    EXPECT_NE(r.note.find("the money is gone"), std::string::npos) << r.note;
  }
  Recorded f([](const VecX&, VecX&) -> double { throw BudgetSpent("nothing to begin with"); },
             Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(-1.2, 1);
  EXPECT_THROW((void)run(f, f.lower, f.upper, u, {}), BudgetSpent);
}

TEST_P(EveryOptimizer, PassesOnWhatTheObjectiveThrows) {
  int count = 0;
  bool fail = false;
  Recorded f(
      [&](const VecX& u, VecX& g) {
        if (++count > 3 && fail) throw Error(Errc::Input, "density is outside its range");
        if (count > 3) throw Interrupted();
        return rosenbrock(u, g);
      },
      Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(-1.2, 1);
  EXPECT_THROW((void)run(f, f.lower, f.upper, u, {}), Interrupted);
  EXPECT_EQ(count, 4);
  count = 0;
  fail = true;
  u = Eigen::Vector2d(-1.2, 1);
  try {
    (void)run(f, f.lower, f.upper, u, {});
    ADD_FAILURE() << "the failure was swallowed";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "density is outside its range");
  }
}

TEST_P(EveryOptimizer, PassesOnAFailureAtTheStart) {
  Recorded f([](const VecX&, VecX&) -> double { throw Error(Errc::Numerics, "step 7 failed"); },
             Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(-1.2, 1);
  try {
    (void)run(f, f.lower, f.upper, u, {});
    ADD_FAILURE() << "the failure was swallowed";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "step 7 failed");
  }
  EXPECT_EQ(f.asked.size(), 1U);
}

// The loss falls towards u_0 = -1 and does not exist beyond, well within the bounds.
TEST_P(EveryOptimizer, StepsBackFromPointsThatAreNotAdmissible) {
  for (const bool throws : {true, false}) {
    Index failed = 0;
    Recorded f(
        [&](const VecX& u, VecX& g) {
          g = Eigen::Vector2d(1, 2 * u[1]);
          if (u[0] >= -1) return u[0] + u[1] * u[1];
          ++failed;
          if (throws) throw Error(Errc::Numerics, "element 3 is inverted");
          return std::numeric_limits<double>::quiet_NaN();
        },
        Eigen::Vector2d(-3, -2), Eigen::Vector2d(2, 2));
    VecX u = Eigen::Vector2d(1, 0.5);
    const OptimizerReport r = run(f, f.lower, f.upper, u, {{"max_iterations", 200}});
    EXPECT_GE(u[0], -1);
    EXPECT_LT(u[0], -0.9);
    EXPECT_GT(failed, 0);
    EXPECT_EQ(r.failed_evaluations, failed);
    EXPECT_EQ(r.evaluations, static_cast<Index>(f.asked.size()));
    EXPECT_EQ(r.loss, u[0] + u[1] * u[1]);
    EXPECT_FALSE(r.note.empty());
  }
}

TEST_P(EveryOptimizer, FindsTheMinimumAlthoughSomeEvaluationsFail) {
  Index count = 0;
  const std::set<Index> failures = {2, 3, 7, 11, 12, 13, 20};
  Recorded f(
      [&](const VecX& u, VecX& g) {
        if (failures.contains(++count)) throw Error(Errc::Numerics, "step 7 failed");
        return rosenbrock(u, g);
      },
      Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = Eigen::Vector2d(-1.2, 1);
  const OptimizerReport r = run(f, f.lower, f.upper, u, patient(GetParam()));
  EXPECT_LT((u - Eigen::Vector2d(1, 1)).norm(), 1e-3);
  EXPECT_EQ(r.failed_evaluations, static_cast<Index>(failures.size()));
}

TEST_P(EveryOptimizer, GivesUpWhereNothingButTheStartIsAdmissible) {
  const Eigen::Vector2d start(-1.2, 1);
  Recorded f(
      [&](const VecX& u, VecX& g) {
        if (u != start) throw Error(Errc::Numerics, "element 3 is inverted");
        return rosenbrock(u, g);
      },
      Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  VecX u = start;
  const OptimizerReport r = run(f, f.lower, f.upper, u, {});
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(u, start);
  EXPECT_EQ(r.failed_evaluations, r.evaluations - std::count(f.asked.begin(), f.asked.end(), VecX(start)));
  EXPECT_NE(r.note.find("element 3 is inverted"), std::string::npos) << r.note;
}

TEST_P(EveryOptimizer, WorksWithoutBounds) {
  const VecX infinite = VecX::Constant(3, std::numeric_limits<double>::infinity());
  Recorded f(quadratic, -infinite, infinite);
  if (GetParam() == "multi_start") {
    VecX start = VecX::Constant(3, 0.8);
    EXPECT_THROW((void)run(f, f.lower, f.upper, start, {}), Error);
    return;
  }
  const VecX u = minimize(f, VecX::Constant(3, 0.8));
  EXPECT_LT((u - Vec3(0, 1, 2)).norm(), 1e-3);
}

/// ppo minimises no function but what controllers lose: tests/unit/optimizers/ppo_test.cpp checks it, the
/// stopping rules, bounds and bits of the others included, and below what it says of a function.
std::vector<std::string> types_for_functions() {
  std::vector<std::string> types = registry().types("optimizer");
  types.erase(std::remove(types.begin(), types.end(), "ppo"), types.end());
  return types;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, ::testing::ValuesIn(types_for_functions()));

TEST(Optimizers, OneThatLearnsControllersRefusesAFunction) {
  Recorded f(rosenbrock, Eigen::Vector2d(-2, -2), Eigen::Vector2d(2, 2));
  BuildContext context;
  context.registry = &registry();
  VecX u = Eigen::Vector2d(-1.2, 1);
  try {
    (void)make_component<Optimizer>("ppo", context, {})->minimize(f, f.lower, f.upper, u);
    ADD_FAILURE() << "learned without controllers";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    EXPECT_NE(e.message().find("ppo learns controllers by trial, but there are none"), std::string::npos)
        << e.what();
  }
  EXPECT_TRUE(f.asked.empty());
}

}  // namespace
}  // namespace resilin::test

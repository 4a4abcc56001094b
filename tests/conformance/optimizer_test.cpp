// Every registered optimizer on functions whose minimum is known.
#include "core/optim/optimizer.hpp"

#include "tests/support/components.hpp"

#include <cmath>

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
    return value;
  }
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

class EveryOptimizer : public ::testing::TestWithParam<std::string> {
 protected:
  VecX minimize(Recorded& f, const VecX& start) {
    VecX u = start;
    const OptimizerReport r = make_component<Optimizer>(GetParam(), {})->minimize(f, f.lower, f.upper, u);
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
  const OptimizerReport r = make_component<Optimizer>(GetParam(), {})->minimize(f, f.lower, f.upper, u);
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
  EXPECT_THROW((void)make_component<Optimizer>(GetParam(), {})->minimize(f, f.lower, f.upper, u), Error);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, ::testing::ValuesIn(registry().types("optimizer")));

}  // namespace
}  // namespace resilin::test

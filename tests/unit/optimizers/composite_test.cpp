// Optimizers that are made of others.
#include "tests/unit/optimizers/functions.hpp"

#include <cmath>
#include <numbers>
#include <set>

namespace resilin::test {
namespace {

/// A function with a gradient; remembers what was asked.
class SmoothFunction final : public Objective {
 public:
  using Function = std::function<double(const VecX& u, VecX& gradient)>;
  SmoothFunction(Function f, Index n, double lower, double upper)
      : lower_(VecX::Constant(n, lower)), upper_(VecX::Constant(n, upper)), f_(std::move(f)) {}
  Index size() const override { return lower_.size(); }
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  double evaluate(ConstVec u, MutVec gradient) override { return ask(u, &gradient); }
  double value(ConstVec u) override { return ask(u, nullptr); }
  struct Question {
    VecX u;
    double loss;
    bool with_gradient;
  };
  std::vector<Question> asked;

 private:
  double ask(ConstVec u, MutVec* gradient) {
    VecX g(u.size());
    const double loss = f_(u, g);
    if (gradient != nullptr) *gradient = g;
    asked.push_back({u, loss, gradient != nullptr});
    return loss;
  }
  VecX lower_, upper_;
  Function f_;
};

double rosenbrock(const VecX& u, VecX& g) {
  const double a = 1 - u[0], b = u[1] - u[0] * u[0];
  g = Eigen::Vector2d(-2 * a - 400 * u[0] * b, 200 * b);
  return a * a + 100 * b * b;
}

/// 10 n + sum (u^2 - 10 cos(2 pi u)): a minimum near each integer point, the least, 0, at the origin.
double rastrigin(const VecX& u, VecX& g) {
  constexpr double kTwoPi = 2 * std::numbers::pi;
  g = 2 * u.array() + 10 * kTwoPi * (kTwoPi * u.array()).sin();
  return 10 * static_cast<double>(u.size()) + (u.array().square() - 10 * (kTwoPi * u.array()).cos()).sum();
}

TEST(MultiStart, FindsTheLeastMinimumOfRastriginsFunctionWhereOneStartDoesNot) {
  SmoothFunction one(rastrigin, 2, -5.12, 5.12), many = one;
  VecX u = Eigen::Vector2d(3.7, -2.6);
  const double alone = read_optimizer("{type: lbfgsb}")->minimize(one, one.lower(), one.upper(), u).loss;
  EXPECT_GT(alone, 1) << "a test that cannot fail";
  u << 3.7, -2.6;
  const OptimizerReport r =
      read_optimizer("{type: multi_start, starts: 100}")->minimize(many, many.lower(), many.upper(), u);
  EXPECT_LT(u.norm(), 1e-5);
  EXPECT_EQ(r.evaluations, static_cast<Index>(many.asked.size()));
  EXPECT_NE(r.note.find("of 100"), std::string::npos) << r.note;
}

TEST(MultiStart, ALatinHypercubeHasOnePointInEachPartOfEachRange) {
  constexpr std::size_t kDrawn = 16;
  for (const bool latin : {true, false}) {
    ValueFunction f([](const VecX& u) { return u.squaredNorm(); }, 3, -2, 6);
    VecX u = VecX::Ones(3);
    // Only the candidates are evaluated, and then the best of them once more.
    (void)read_optimizer("{type: multi_start, starts: 1, candidates: 17, sampling: " +
                         std::string(latin ? "latin_hypercube" : "uniform") +
                         ", optimizer: {type: one_plus_one_es, max_evaluations: 1}}")
        ->minimize(f, f.lower(), f.upper(), u);
    ASSERT_EQ(f.asked.size(), 1 + kDrawn + 1);
    EXPECT_EQ(f.asked[0], VecX::Ones(3)) << "the start of the task";
    bool all_parts = true;
    for (Index i = 0; i < 3; ++i) {
      std::set<int> parts;
      for (std::size_t k = 1; k <= kDrawn; ++k)
        parts.insert(static_cast<int>((f.asked[k][i] + 2) / 8 * static_cast<double>(kDrawn)));
      all_parts = all_parts && parts.size() == kDrawn;
    }
    EXPECT_EQ(all_parts, latin);
  }
}

TEST(MultiStart, CandidatesAreScreenedWithoutGradientsAndTheBestAreStarts) {
  SmoothFunction f(rastrigin, 2, -5.12, 5.12);
  VecX u = VecX::Constant(2, 3.2);
  (void)read_optimizer(
      "{type: multi_start, starts: 3, candidates: 20, optimizer: {type: lbfgsb, "
      "max_evaluations: 2}}")
      ->minimize(f, f.lower(), f.upper(), u);
  ASSERT_EQ(f.asked.size(), 26u);
  std::multiset<double> losses;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_FALSE(f.asked[i].with_gradient);
    losses.insert(f.asked[i].loss);
  }
  auto best = losses.begin();
  for (std::size_t i = 20; i < 26; ++i) EXPECT_TRUE(f.asked[i].with_gradient);
  // The same points up to the rounding of the units that the inner optimizer works in.
  for (std::size_t run = 0; run < 3; ++run) EXPECT_NEAR(f.asked[20 + 2 * run].loss, *best++, 1e-10);
}

TEST(MultiStart, PassesOverStartsThatAreNotAdmissible) {
  Index failed = 0;
  SmoothFunction f(
      [&](const VecX& u, VecX& g) {
        if (u[0] > 0) {
          ++failed;
          throw Error(Errc::Numerics, "inverted");
        }
        g = 2 * u;
        return u.squaredNorm();
      },
      2, -3, 3);
  for (const char* candidates : {"", ", candidates: 12"}) {
    failed = 0;
    f.asked.clear();
    VecX u = VecX::Constant(2, -1);
    const OptimizerReport r = read_optimizer("{type: multi_start, starts: 8" + std::string(candidates) + "}")
                                  ->minimize(f, f.lower(), f.upper(), u);
    EXPECT_LT(u.norm(), 1e-3);
    EXPECT_GT(failed, 2);
    EXPECT_EQ(r.failed_evaluations, failed);
    EXPECT_EQ(r.evaluations, failed + static_cast<Index>(f.asked.size()));
  }
}

TEST(MultiStart, NeedsBoundsAndSaysWhatIsWrong) {
  SmoothFunction f(rastrigin, 2, -5, std::numeric_limits<double>::infinity());
  VecX u = VecX::Constant(2, 1);
  try {
    (void)read_optimizer("{type: multi_start}")->minimize(f, f.lower(), f.upper(), u);
    ADD_FAILURE() << "drew between no bounds";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input);
    EXPECT_NE(std::string(e.what()).find("every parameter needs a lower and an upper one"), std::string::npos)
        << e.what();
    EXPECT_NE(e.where().find("test.yaml:1"), std::string::npos) << e.where();
  }
  EXPECT_THROW((void)read_optimizer("{type: multi_start, starts: 5, candidates: 4}"), Error);
}

TEST(Chain, EachBeginsAtTheBestPointOfThoseBefore) {
  SmoothFunction f(rosenbrock, 2, -3, 3);
  VecX u = Eigen::Vector2d(-1.2, 2.5);
  const OptimizerReport r =
      read_optimizer(
          "{type: chain, optimizers: [{type: cma_es, population: 10, max_iterations: 20}, {type: "
          "lbfgsb}]}")
          ->minimize(f, f.lower(), f.upper(), u);
  const std::size_t first = 1 + 10 * 20;
  ASSERT_GT(f.asked.size(), first);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < first; ++i) {
    EXPECT_FALSE(f.asked[i].with_gradient);
    best = std::min(best, f.asked[i].loss);
  }
  EXPECT_TRUE(f.asked[first].with_gradient);
  EXPECT_NEAR(f.asked[first].loss, best, 1e-12 * best);
  EXPECT_GT(best, 1e-8) << "nothing left for the second";
  EXPECT_LT((u - VecX::Ones(2)).norm(), 1e-4);
  EXPECT_TRUE(r.converged) << r.note;
  EXPECT_NE(r.note.find("cma_es: iteration limit; then lbfgsb: "), std::string::npos) << r.note;
}

TEST(Chain, ASpentBudgetEndsItBeforeTheNext) {
  Index count = 0;
  SmoothFunction f(
      [&](const VecX& u, VecX& g) {
        if (++count > 9) throw BudgetSpent("spent");
        return rastrigin(u, g);
      },
      2, -5.12, 5.12);
  VecX u = VecX::Constant(2, 3.2);
  const OptimizerReport r = read_optimizer("{type: chain, optimizers: [{type: cma_es}, {type: lbfgsb}]}")
                                ->minimize(f, f.lower(), f.upper(), u);
  EXPECT_EQ(count, 10);
  EXPECT_EQ(r.evaluations, 9);
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.note, "cma_es: spent");
}

TEST(Chain, NeedsMembers) {
  try {
    (void)read_optimizer("{type: chain, optimizers: []}");
    ADD_FAILURE() << "a chain of nothing";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a chain needs members"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace resilin::test

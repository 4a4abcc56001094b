#include "core/solve/step_problem.hpp"

#include "core/solve/solvers.hpp"
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <numeric>

namespace resilin::test {
namespace {

constexpr const char* kScene = R"(
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}
    materials: [neo_hookean]
    pins:
      - {nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}
      - {nodes: {box: {min: [0.3, 0, 0], max: [0.3, 0.1, 0.1]}}, axes: [y, z]}
)";
constexpr double kInertia = 1e4;

class StepProblemTest : public ::testing::Test {
 protected:
  StepProblemTest()
      : sim_(make_simulation(kScene)),
        x0_(sim_->system().initial_state().x),
        y_(x0_ + 0.004 * random_vector(x0_.size(), 1)),
        problem_(sim_->system(), sim_->tools().linear, {0.01, 0.01, 0}, kInertia, y_, x0_,
                 sim_->workspace()) {
    x_ = x0_ + free(0.003 * random_vector(x0_.size(), 2));
  }
  /// v with zeros at pinned coordinates.
  VecX free(VecX v) const {
    for (Index i = 0; i < v.size(); ++i)
      if (sim_->system().fixed()[static_cast<std::size_t>(i)]) v[i] = 0;
    return v;
  }
  VecX residual(const VecX& x) const {
    VecX r(x.size());
    problem_.residual(x, r);
    return r;
  }
  std::unique_ptr<Simulation> sim_;
  VecX x0_, y_, x_;
  StepProblem problem_;
};

TEST_F(StepProblemTest, ResidualIsTheGradientOfTheValueAtFreeCoordinates) {
  VecX r(x_.size());
  EXPECT_NEAR(problem_.residual(x_, r), problem_.value(x_), 1e-12 * problem_.value(x_));
  EXPECT_EQ(r, free(r));
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const VecX d = free(random_vector(x_.size(), seed)).normalized();
    EXPECT_LT(
        difference_gap([&](double s) { return problem_.value(x_ + s * d); }, r.dot(d), 1e-3, 1e-3 * r.norm()),
        1e-8);
  }
}

TEST_F(StepProblemTest, HessianIsTheDerivativeOfTheResidual) {
  const VecX d = free(random_vector(x_.size(), 4)).normalized();
  VecX hd(x_.size());
  problem_.hessian(x_, false).multiply(d, hd, problem_.fixed());
  EXPECT_LT(difference_gap([&](double s) -> VecX { return residual(x_ + s * d); }, hd, 1e-3), 1e-8);
}

TEST_F(StepProblemTest, PrefactoredSolveInvertsAWithPinsAlongSingleAxes) {
  Triplets triplets;
  const Index n = sim_->system().num_nodes();
  sim_->system().energies()[0]->add_quadratic_form(triplets);
  for (Index i = 0; i < n; ++i) triplets.emplace_back(i, i, kInertia * sim_->system().mass()[i]);
  SpMat a(n, n);
  a.setFromTriplets(triplets.begin(), triplets.end());
  const VecX b = random_vector(3 * n, 5);
  VecX z(3 * n);
  problem_.solve_prefactored(b, z);
  EXPECT_EQ(z, free(z));
  const Mat3X az = as_columns(z) * a;  // symmetric
  EXPECT_LT((free(az.reshaped()) - free(b)).norm(), 1e-11 * b.norm());
  // The pins differ between x and the other axes: both sets are present.
  EXPECT_NE(free(VecX::Ones(3 * n)).reshaped(3, n).row(0), free(VecX::Ones(3 * n)).reshaped(3, n).row(1));
}

TEST_F(StepProblemTest, HeldNodesEnterTheFactorByASchurComplementOrByFactorisingAnew) {
  const VecX b = random_vector(x_.size(), 5), c = random_vector(x_.size(), 6);
  VecX low_rank(b.size()), anew(b.size()), rounded(b.size()), other(b.size());
  // One of them is pinned along two axes; the second set shares columns with the first.
  for (const std::vector<Index>& nodes : {std::vector<Index>{4, 9, 13}, {4, 5, 6, 7, 13, 14}, {9}, {}}) {
    problem_.hold(nodes, HoldBy::Refactor);
    problem_.solve_prefactored(b, anew);
    problem_.hold(nodes);
    problem_.solve_prefactored(b, low_rank);
    EXPECT_LT((low_rank - anew).norm(), 1e-12 * anew.norm());
    problem_.precondition(b, rounded);
    EXPECT_LT((rounded - anew).norm(), 1e-5 * anew.norm());
    problem_.precondition(c, other);
    EXPECT_NEAR(c.dot(rounded), b.dot(other), 1e-13 * c.norm() * rounded.norm()) << "not symmetric";
    VecX r(b.size());
    problem_.residual(x_, r);
    for (const Index i : nodes) {
      EXPECT_EQ(low_rank.segment<3>(3 * i), Vec3::Zero());
      EXPECT_EQ(rounded.segment<3>(3 * i), Vec3::Zero());
      EXPECT_EQ(r.segment<3>(3 * i), Vec3::Zero());
    }
  }
  VecX expected(b.size());
  StepProblem(sim_->system(), sim_->tools().linear, {0.01, 0.01, 0}, kInertia, y_, x0_, sim_->workspace())
      .solve_prefactored(b, expected);
  EXPECT_LT((expected - low_rank).norm(), 1e-13 * expected.norm()) << "holding no node is holding none";
}

/// A block of so many cells of 1 cm, nodes of which are held in all ways.
class HeldBlockTest : public ::testing::Test {
 protected:
  void build(int nx, int ny, int nz) {
    sim_ =
        make_simulation(fmt::format("bodies: {{block: {{mesh: {{generator: {{type: box, size: [{}, {}, {}], "
                                    "cells: [{}, {}, {}]}}}}, materials: [corotated]}}}}",
                                    0.01 * nx, 0.01 * ny, 0.01 * nz, nx, ny, nz));
    x_ = sim_->system().initial_state().x;
    problem_ = std::make_unique<StepProblem>(sim_->system(), sim_->tools().linear, StepContext{0.01, 0.01, 0},
                                             kInertia, x_, x_, sim_->workspace());
  }
  VecX solve(const std::vector<Index>& nodes, HoldBy by) {
    VecX out(x_.size());
    problem_->hold(nodes, by);
    problem_->solve_prefactored(random_vector(x_.size(), 5), out);
    return out;
  }
  /// Whether counted work chooses a new factor; whatever it chooses, the solution is the same.
  bool refactors(const std::vector<Index>& nodes) {
    const VecX counted = solve(nodes, HoldBy::Counted);
    const bool refactored = problem_->is_refactored();
    for (const HoldBy by : {HoldBy::Schur, HoldBy::Refactor}) {
      EXPECT_LT((solve(nodes, by) - counted).norm(), 1e-11 * counted.norm());
      EXPECT_EQ(problem_->is_refactored(), by == HoldBy::Refactor);
    }
    // What was held meanwhile changes nothing, to the bit.
    EXPECT_EQ(solve(nodes, HoldBy::Counted), counted);
    EXPECT_EQ(problem_->is_refactored(), refactored);
    return refactored;
  }
  static std::vector<Index> first(Index count) {
    std::vector<Index> nodes(static_cast<std::size_t>(count));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }
  std::unique_ptr<Simulation> sim_;
  VecX x_;
  std::unique_ptr<StepProblem> problem_;
};

TEST_F(HeldBlockTest, CountedWorkHoldsAFewNodesOfASolidByTheSchurComplementAndManyByANewFactor) {
  build(14, 14, 14);
  EXPECT_FALSE(refactors(first(30)));
  EXPECT_TRUE(refactors(first(x_.size() / 6)));
}

TEST_F(HeldBlockTest, CountedWorkFactorisesAThinSheetAnewSinceItsFactorIsCheap) {
  build(30, 30, 1);
  EXPECT_TRUE(refactors(first(x_.size() / 3 / 10)));
}

TEST_F(StepProblemTest, PrefactoredSolveFollowsTheParameters) {
  const VecX b = random_vector(x_.size(), 5);
  VecX before(b.size()), after(b.size()), again(b.size());
  problem_.solve_prefactored(b, before);
  System& s = sim_->system();
  const VecX theta = s.parameters().values();
  VecX stiff = theta;
  stiff[s.parameters().find("bodies.beam.materials[0].youngs_modulus").front()->offset] *= 10;
  s.set_parameters(stiff);
  problem_.solve_prefactored(b, after);
  s.set_parameters(theta);
  problem_.solve_prefactored(b, again);
  EXPECT_GT((after - before).norm(), 0.1 * before.norm());
  EXPECT_LT((again - before).norm(), 1e-13 * before.norm());
}

/// A linear solver that counts what is asked of another one.
class Counting final : public LinearSolver {
 public:
  explicit Counting(const LinearSolver& solver) : solver_(solver) {}
  std::unique_ptr<Factorization> analyze(const SpMat& a) const override {
    ++analyses;
    return std::make_unique<Counted>(solver_.analyze(a), *this);
  }
  mutable int analyses = 0, factorizations = 0;

 private:
  class Counted final : public Factorization {
   public:
    Counted(std::unique_ptr<Factorization> f, const Counting& count) : f_(std::move(f)), count_(count) {}
    Result factorize(const SpMat& a, bool definite_only) override {
      ++count_.factorizations;
      return f_->factorize(a, definite_only);
    }
    bool solves_indefinite() const override { return f_->solves_indefinite(); }
    void solve(const Eigen::Ref<const MatX>& b, Eigen::Ref<MatX> x) override { f_->solve(b, x); }
    Work work() const override { return f_->work(); }

   private:
    std::unique_ptr<Factorization> f_;
    const Counting& count_;
  };
  const LinearSolver& solver_;
};

TEST_F(StepProblemTest, KeepsPatternAndOrderingWhileOnlyValuesChange) {
  const Counting linear(sim_->tools().linear);
  Workspace ws;
  System& s = sim_->system();
  const VecX b = random_vector(x_.size(), 5), theta = s.parameters().values();
  VecX z(b.size()), expected(b.size());
  const StepProblem first(s, linear, {0.01, 0.01, 0}, kInertia, y_, x0_, ws);
  first.solve_prefactored(b, z);
  EXPECT_EQ(linear.analyses, 2);  // x alone, y and z together
  EXPECT_EQ(linear.factorizations, 2);
  first.solve_prefactored(b, z);
  EXPECT_EQ(linear.factorizations, 2);
  s.set_parameters(1.125 * theta);
  first.solve_prefactored(b, z);
  EXPECT_EQ(linear.analyses, 2);
  EXPECT_EQ(linear.factorizations, 4);
  problem_.solve_prefactored(b, expected);
  EXPECT_EQ(z, expected);
  const StepProblem shorter(s, linear, {0.005, 0.005, 0}, 4 * kInertia, y_, x0_, ws);
  shorter.solve_prefactored(b, z);
  EXPECT_EQ(linear.analyses, 2);
  EXPECT_EQ(linear.factorizations, 6);
}

TEST_F(StepProblemTest, IsNotFactorisedForTheToleranceOfASolve) {
  const Counting linear(sim_->tools().linear);
  Workspace ws;
  const StepProblem problem(sim_->system(), linear, {0.01, 0.01, 0}, kInertia, y_, x0_, ws);
  SolveReport report;
  VecX x = x_, r(x.size());
  start_solve(problem, {}, x, r, report);
  EXPECT_GT(report.tolerance, 0);
  EXPECT_GT(problem.value_rounding(), 0);
  EXPECT_EQ(linear.analyses, 0);
  EXPECT_GT(problem.prefactored_work(), static_cast<double>(x.size()));  // asks for the factor
  EXPECT_EQ(linear.factorizations, 2);
}

TEST_F(StepProblemTest, RoundingFloorGrowsWithTheDistanceFromTheOrigin) {
  const double near = problem_.rounding_floor(x_),
               far = problem_.rounding_floor(x_ + VecX::Constant(x_.size(), 1e3));
  EXPECT_GT(near, 0);
  EXPECT_GT(far, 1e3 * near);
  EXPECT_LT(near, 1e-10 * residual(x_).norm());
}

TEST_F(StepProblemTest, FreeMatrixIsTheHessianWithoutPinnedRowsAndColumns) {
  const BlockMatrix& h = problem_.hessian(x_, false);
  FreeMatrix m;
  const SpMat& a = m.update(h, problem_.fixed());
  Index count = 0;
  for (const char f : problem_.fixed()) count += f ? 0 : 1;
  ASSERT_EQ(m.size(), count);
  ASSERT_EQ(a.rows(), count);
  const VecX full = random_vector(x_.size(), 6);
  VecX part(count), back(x_.size()), product(x_.size()), product_part(count);
  m.gather(full, part);
  m.scatter(part, back);
  EXPECT_EQ(back, free(full));
  h.multiply(back, product, problem_.fixed());
  m.gather(product, product_part);
  EXPECT_LT((a * part - product_part).norm(), 1e-13 * product_part.norm());
  EXPECT_LT((MatX(a) - MatX(a).transpose()).norm(), 1e-13 * MatX(a).norm());
}

TEST_F(StepProblemTest, FreeMatrixRebuildsForOtherPinsAndKeepsItsPatternOtherwise) {
  const BlockMatrix& h = problem_.hessian(x_, false);
  FreeMatrix m;
  const double* before = m.update(h, problem_.fixed()).valuePtr();
  EXPECT_EQ(m.update(problem_.hessian(x0_, false), problem_.fixed()).valuePtr(), before);
  std::vector<char> none(static_cast<std::size_t>(x_.size()), 0);
  EXPECT_EQ(m.update(h, none).rows(), x_.size());
  std::vector<char> all(static_cast<std::size_t>(x_.size()), 1);
  EXPECT_EQ(m.update(h, all).rows(), 0);
}

TEST_F(StepProblemTest, LineSearchAcceptsDescentAndRefusesAscent) {
  VecX x = x_, r(x.size());
  double g = problem_.residual(x, r);
  const double before = g;
  VecX p(x.size());
  problem_.solve_prefactored(r, p);
  LineSearchScratch scratch;
  const VecX up = p;
  EXPECT_EQ(line_search(problem_, up, x, r, g, scratch), 0);
  EXPECT_EQ(x, x_);
  p *= -1;
  EXPECT_GT(line_search(problem_, p, x, r, g, scratch), 0);
  EXPECT_LT(g, before);
  EXPECT_EQ(g, problem_.value(x));
  EXPECT_EQ(r, residual(x));
}

TEST_F(StepProblemTest, LineSearchStepsBackFromInvertedElements) {
  VecX x = x_, r(x.size());
  double g = problem_.residual(x, r);
  VecX p(x.size());
  problem_.solve_prefactored(r, p);
  p *= -1000;
  ASSERT_FALSE(problem_.value(x + p) <= g);
  LineSearchScratch scratch;
  EXPECT_GT(line_search(problem_, p, x, r, g, scratch), 5);
  EXPECT_TRUE(std::isfinite(g));
}

TEST(DotAndNorm, HaveTheSameBitsForAnyNumberOfThreads) {
  const VecX a = random_vector(100000, 1), b = random_vector(100000, 2);
  set_num_threads(1);
  const double d = dot(a, b), n = norm(a);
  set_num_threads(3);
  EXPECT_EQ(dot(a, b), d);
  EXPECT_EQ(norm(a), n);
  set_num_threads(1);
  EXPECT_NEAR(d, a.dot(b), 1e-10);
  EXPECT_NEAR(n, a.norm(), 1e-10);
  EXPECT_EQ(norm(VecX::Zero(0)), 0);
}

}  // namespace
}  // namespace resilin::test

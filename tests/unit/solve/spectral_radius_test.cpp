#include "core/solve/spectral_radius.hpp"

#include "tests/support/components.hpp"

#include <Eigen/Eigenvalues>

namespace resilin::test {
namespace {

constexpr double kInertia = 1e4;

/// A beam pinned at one end, far enough from rest that its Hessian is not A.
class SpectralRadiusTest : public ::testing::Test {
 protected:
  SpectralRadiusTest()
      : sim_(make_simulation(R"(
bodies:
  beam:
    mesh: {generator: {type: box, size: [0.3, 0.1, 0.1], cells: [4, 2, 1]}}
    materials: [corotated, {type: volume, poissons_ratio: 0.45}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
)")),
        rest_(sim_->system().initial_state().x),
        x_(rest_ + 0.004 * random_vector(rest_.size(), 1)),
        problem_(sim_->system(), sim_->tools().linear, {0.01, 0.01, 0}, kInertia, x_, rest_,
                 sim_->workspace()) {}

  /// Of the dense matrices.
  double expected() const {
    std::vector<Index> free;
    for (Index i = 0; i < x_.size(); ++i)
      if (!problem_.fixed()[static_cast<std::size_t>(i)]) free.push_back(i);
    const auto size = static_cast<Index>(free.size());
    MatX h(size, size), inverse(size, size);
    VecX out(x_.size());
    for (Index k = 0; k < size; ++k) {
      VecX unit = VecX::Zero(x_.size());
      unit[free[static_cast<std::size_t>(k)]] = 1;
      problem_.hessian(x_, false).multiply(unit, out, problem_.fixed());
      h.col(k) = out(free);
      problem_.solve_prefactored(unit, out);
      inverse.col(k) = out(free);
    }
    const MatX a = inverse.inverse();
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(h, 0.5 * (a + a.transpose()),
                                                                Eigen::EigenvaluesOnly);
    return (1 - solver.eigenvalues().array()).abs().maxCoeff();
  }
  std::unique_ptr<Simulation> sim_;
  VecX rest_, x_;
  StepProblem problem_;
};

TEST_F(SpectralRadiusTest, IsThatOfTheDenseMatrices) {
  const double radius = expected();
  EXPECT_GT(radius, 0.1);
  EXPECT_NEAR(spectral_radius(problem_, x_), radius, 2e-5 * radius);
}

TEST_F(SpectralRadiusTest, HeldNodesTakeNoPart) {
  problem_.hold({10, 20, 25});
  EXPECT_NEAR(spectral_radius(problem_, x_), expected(), 2e-5 * expected());
  std::vector<Index> all;
  for (Index i = 0; i < x_.size() / 3; ++i) all.push_back(i);
  problem_.hold(all);
  EXPECT_EQ(spectral_radius(problem_, x_), 0);
}

}  // namespace
}  // namespace resilin::test

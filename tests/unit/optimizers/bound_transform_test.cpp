// The transformation is inside the plugin; here it is seen through what cma_es asks for.
#include "tests/unit/optimizers/functions.hpp"

#include <cmath>
#include <limits>

namespace resilin::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A function with bounds of each kind: none, a lower one, an upper one, both, two equal ones.
class Bounded final : public Objective {
 public:
  explicit Bounded(VecX minimum) : minimum_(std::move(minimum)) {}
  Index size() const override { return 5; }
  VecX lower() const { return (VecX(5) << -kInfinity, 1, -kInfinity, -2, 0.25).finished(); }
  VecX upper() const { return (VecX(5) << kInfinity, kInfinity, -1, 2, 0.25).finished(); }
  double evaluate(ConstVec, MutVec) override { throw Error(Errc::Internal, "no gradient"); }
  double value(ConstVec u) override {
    EXPECT_TRUE(((u - lower()).array() >= 0).all() && ((upper() - u).array() >= 0).all()) << u.transpose();
    return (u - minimum_).squaredNorm();
  }

 private:
  VecX minimum_;
};

TEST(BoundsOfEvolutionStrategies, AreKeptAndReachedWhateverTheirKind) {
  // Minima inside, and beyond each bound; starts inside and at the bounds.
  const VecX inside = (VecX(5) << 3, 4, -5, 1.5, 0.25).finished(),
             beyond = (VecX(5) << -3, -4, 5, 7, 1).finished();
  for (const char* type : {"cma_es", "one_plus_one_es"})
    for (const VecX& minimum : {inside, beyond})
      for (const bool at_bounds : {false, true}) {
        Bounded f(minimum);
        VecX u = at_bounds ? (VecX(5) << 0, 1, -1, -2, 0.25).finished()
                           : (VecX(5) << 0, 2, -3, 0, 0.25).finished();
        const OptimizerReport r = minimize(type, f, u, {{"max_iterations", 20'000}});
        const VecX expected = minimum.cwiseMax(f.lower()).cwiseMin(f.upper());
        EXPECT_LT((u - expected).lpNorm<Eigen::Infinity>(), 1e-4) << type << " " << u.transpose() << "\n"
                                                                  << r.note;
      }
}

}  // namespace
}  // namespace resilin::test

// Every registered regularizer: its gradient against differences, and that it judges values alone.
#include "core/optim/regularizer.hpp"

#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

class EveryRegularizer : public ::testing::TestWithParam<std::string> {
 protected:
  EveryRegularizer() : body_(distorted_box({3, 2, 2}, ElementType::Hex8)) {}
  std::unique_ptr<Regularizer> make(bool log_scale, const std::map<std::string, double>& values = {}) {
    auto r = make_component<Regularizer>(GetParam(), body_.context(), values);
    const Index n = body_.mesh.num_elements();
    r->attach({n, log_scale, VecX::Constant(n, 0.3)});
    return r;
  }
  SampleBody body_;
};

TEST_P(EveryRegularizer, GradientAgreesWithDifferences) {
  const auto r = make(true);
  const Index n = body_.mesh.num_elements();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX u = random_vector(n, seed), p = random_vector(n, seed + 20).normalized();
    VecX gradient = VecX::Ones(n);
    r->add_gradient(u, gradient);
    gradient -= VecX::Ones(n);  // it adds to what is there
    EXPECT_GT(gradient.norm(), 0) << "depends on nothing";
    EXPECT_LT(difference_gap([&](double s) { return r->value(u + s * p); }, gradient.dot(p), 1e-2, 1e-3),
              1e-8);
  }
}

TEST_P(EveryRegularizer, IsSmallestAtAUniformFieldOfItsReference) {
  const auto r = make(false);
  const Index n = body_.mesh.num_elements();
  const VecX flat = VecX::Constant(n, 0.3);
  EXPECT_NEAR(r->value(flat), 0, 1e-15);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    EXPECT_GT(r->value(flat + 0.1 * random_vector(n, seed)), 0);
  }
}

TEST_P(EveryRegularizer, GrowsWithItsWeight) {
  const VecX u = random_vector(body_.mesh.num_elements(), 3);
  EXPECT_NEAR(make(false, {{"weight", 7}})->value(u), 7 * make(false, {{"weight", 1}})->value(u), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryRegularizer, ::testing::ValuesIn(registry().types("regularizer")));

}  // namespace
}  // namespace resilin::test

// Every registered potential energy of a scene (other than the elastic one of a body).
#include "tests/support/energies.hpp"

#include <Eigen/Eigenvalues>

namespace resilin::test {
namespace {

class EveryEnergy : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryEnergy);

TEST_P(EveryEnergy, DerivativesAgreeWithDifferences) {
  const SampleBody body(sample_mesh(GetParam()));
  const auto energy = make_component<Energy>(GetParam(), body.context());
  const Index n = 3 * body.mesh.num_vertices();
  const StepContext context{0.02, 0.01, 1};
  Workspace ws;
  const VecX x = deformed(body.mesh) - VecX::Constant(n, 0.01);
  const auto value = [&](const VecX& at) { return energy->value(context, at, ws); };
  const auto gradient = [&](const VecX& at) {
    VecX g = VecX::Zero(n);
    energy->add_gradient(context, at, g, ws);
    return g;
  };
  BlockPattern pattern(body.mesh.num_vertices());
  energy->add_pattern(pattern);
  BlockMatrix h;
  h.reset(std::move(pattern));
  energy->add_hessian(context, x, h, false, ws);
  const VecX g = gradient(x);
  ASSERT_TRUE(g.allFinite());
  EXPECT_GT(g.norm(), 0) << "does not act on this body; give it defaults that do";
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const VecX d = random_vector(n, seed).normalized();
    EXPECT_LT(difference_gap([&](double s) { return value(x + s * d); }, g.dot(d), 1e-3, 1e-3 * g.norm()),
              1e-7);
    VecX hd(n);
    h.multiply(d, hd, std::vector<char>(static_cast<std::size_t>(n), 0));
    EXPECT_LT(difference_gap([&](double s) -> VecX { return gradient(x + s * d); }, hd, 1e-3), 1e-6);
  }
  ParameterTable table;
  table.add("energy", [&](ParamVisitor& v) { energy->visit_parameters(v); });
  ASSERT_EQ(table.size(), energy->num_parameters());
  const VecX theta = table.values(), z = random_vector(n, 4);
  VecX vjp = VecX::Zero(theta.size());
  energy->add_param_vjp(context, x, z, vjp, ws);
  for (Index i = 0; i < theta.size(); ++i) {
    const auto along = [&](double s) {
      table.assign(theta + s * VecX::Unit(theta.size(), i));
      energy->parameters_changed();
      return z.dot(gradient(x));
    };
    EXPECT_LT(difference_gap(along, vjp[i], 0.01 * std::max(std::abs(theta[i]), 1e-3), 1e-6 * vjp.norm()),
              1e-6)
        << i;
  }
}

TEST_P(EveryEnergy, QuadraticFormIsSymmetricSemidefiniteAndBoundsTheEnergyIfThatIsClaimed) {
  const SampleBody body(sample_mesh(GetParam()));
  const auto energy = make_component<Energy>(GetParam(), body.context());
  const Index n = body.mesh.num_vertices();
  const StepContext context{0.02, 0.01, 1};
  Workspace ws;
  Triplets triplets;
  energy->add_quadratic_form(triplets);
  SpMat sparse(n, n);
  sparse.setFromTriplets(triplets.begin(), triplets.end());
  const MatX a = sparse;
  const double size = a.cwiseAbs().maxCoeff();
  ASSERT_GT(size, 0);
  EXPECT_LT((a - a.transpose()).cwiseAbs().maxCoeff(), 1e-14 * size);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(a).eigenvalues()[0], -1e-12 * size);
  if (!energy->is_projective()) return;
  // E(y) <= E(x) + g(x).(y - x) + (y - x).A (y - x)/2: a step with A never raises the energy.
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const VecX x = deformed(body.mesh) + 0.1 * random_vector(3 * n, seed),
               y = x + 0.3 * random_vector(3 * n, 100 + seed);
    VecX g = VecX::Zero(3 * n);
    const double e = energy->add_gradient(context, x, g, ws);
    const VecX step = y - x;
    const Mat3X d = as_columns(step);
    const double bound = e + g.dot(step) + 0.5 * (d * a).cwiseProduct(d).sum();
    EXPECT_LE(energy->value(context, y, ws), bound + 1e-12 * (std::abs(bound) + e));
  }
}

TEST_P(EveryEnergy, ProjectedHessianIsSemidefiniteWhereTheBodyIsPressed) {
  const SampleBody body(sample_mesh(GetParam()));
  const auto energy = make_component<Energy>(GetParam(), body.context());
  const Index n = body.mesh.num_vertices();
  Workspace ws;
  const VecX x = 0.6 * deformed(body.mesh);
  MatX h[2];
  for (const bool project : {false, true}) {
    BlockPattern pattern(n);
    energy->add_pattern(pattern);
    BlockMatrix blocks;
    blocks.reset(std::move(pattern));
    energy->add_hessian({0.02, 0.01, 1}, x, blocks, project, ws);
    MatX& dense = h[project ? 1 : 0] = MatX::Zero(3 * n, 3 * n);
    for (Index i = 0; i < n; ++i)
      for (Index k = blocks.row_begin(i); k < blocks.row_end(i); ++k)
        dense.block<3, 3>(3 * i, 3 * static_cast<Index>(blocks.column(k))) =
            Eigen::Map<const Mat3>(blocks.block(k));
  }
  const double size = h[0].cwiseAbs().maxCoeff();
  ASSERT_GT(size, 0);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(h[1]).eigenvalues()[0], -1e-10 * size);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(h[1] - h[0]).eigenvalues()[0], -1e-10 * size);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryEnergy, ::testing::ValuesIn(registry().types("energy")));

}  // namespace
}  // namespace resilin::test

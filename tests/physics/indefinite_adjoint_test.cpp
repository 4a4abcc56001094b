// The adjoint system at an unstable state, whose Hessian is indefinite: backward solvers solve it or say why
// they do not.
#include "tests/physics/statics.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

class IndefiniteAdjoint : public SceneTest {
 protected:
  struct Outcome {
    SolveReport report;
    double residual = 0;  ///< |b - H z| / |b|, measured here
    bool definite = true;
  };
  /// A column squeezed to 60 % of its height, almost without inertia: it would buckle.
  Outcome solve(const std::vector<std::string>& overrides) const {
    const auto sim = simulation(R"(
time: {step: 0.01, steps: 1}
bodies:
  column:
    mesh: {generator: {type: box, size: [0.1, 0.1, 0.4], cells: [2, 2, 8]}}
    materials: [{type: stable_neo_hookean, E: 1e5, nu: 0.3}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0]}}}]
)",
                                overrides);
    const StepTools tools = sim->tools();
    VecX x = sim->system().initial_state().x;
    for (Index i = 2; i < x.size(); i += 3) x[i] *= 0.6;
    const StepProblem problem(sim->system(), tools.linear, {1, 1, 0}, 1.0, x, x, tools.workspace);
    VecX b(x.size()), z = VecX::Zero(x.size()), hz(x.size());
    for (Index i = 0; i < b.size(); ++i)
      b[i] = problem.fixed()[static_cast<std::size_t>(i)] ? 0 : std::sin(static_cast<double>(i));
    Outcome o;
    o.report = tools.backward.solve(problem, x, b, z);
    const BlockMatrix& h = problem.hessian(x, false);
    h.multiply(z, hz, problem.fixed());
    o.residual = (b - hz).norm() / b.norm();
    FreeMatrix free;
    const SpMat& a = free.update(h, problem.fixed());
    o.definite = tools.linear.analyze(a)->factorize(a, true) == Factorization::Result::PositiveDefinite;
    return o;
  }
};

TEST_F(IndefiniteAdjoint, IsSolvedByKrylovDirectAndAuto) {
  for (const std::string solver : {"backward=pd_krylov", "backward={type: pd_krylov, method: minres}",
                                   "backward=direct", "backward=auto"}) {
    SCOPED_TRACE(solver);
    const Outcome o = solve({solver});
    EXPECT_FALSE(o.definite);
    EXPECT_TRUE(o.report.converged) << o.report.note;
    EXPECT_LT(o.residual, 1e-8);
  }
  for (const std::string linear : {"eigen_ldlt", "eigen_lu"}) {
    SCOPED_TRACE(linear);
    const Outcome o = solve({"backward=direct", "linear_solver=" + linear});
    EXPECT_TRUE(o.report.converged) << o.report.note;
    EXPECT_LT(o.residual, 1e-8);
  }
}

TEST_F(IndefiniteAdjoint, IsReportedByThoseThatNeedADefiniteHessian) {
  const auto expect_refused = [&](const std::vector<std::string>& overrides, const std::string& note) {
    SCOPED_TRACE(overrides.front());
    const Outcome o = solve(overrides);
    EXPECT_FALSE(o.report.converged);
    EXPECT_THAT(o.report.note, ::testing::HasSubstr(note));
  };
  expect_refused({"backward={type: pd_krylov, method: cg}"}, "indefinite Hessian");
  expect_refused({"backward=pd_lbfgs"}, "indefinite Hessian");
  expect_refused({"backward=pd_fixed_point"}, "the iteration diverges");
  for (const char* linear : {"eigen_llt", "cg_ic", "eigen_llt_mixed"})
    expect_refused({"backward=direct", std::string("linear_solver=") + linear}, "cannot factorise it");
}

}  // namespace
}  // namespace resilin::test

// Every registered force and loss: what it pulls back against differences of what it computes.
#include "core/optim/loss.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

class EveryForce : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryForce, PullsBackToPositionsVelocitiesAndParameters) {
  SampleBody body(make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8));
  Index n = 3 * body.mesh.num_vertices();
  VecX x = deformed(body.mesh);
  BuildContext built = body.context();
  if (GetParam() == "ball_contact") {  // acts between two bodies: another one of the same shape
    body.views.push_back({"other", &body.mesh, body.mesh.num_vertices()});
    built.num_nodes *= 2;
    x = VecX((VecX(2 * n) << x, x + Vec3(0.9, 0.5, 0.7).replicate(n / 3, 1)).finished());
    n *= 2;
  }
  const auto force = make_component<Force>(GetParam(), built);
  ParameterTable table;
  table.add("force", [&](ParamVisitor& v) { force->visit_parameters(v); });
  ASSERT_EQ(table.size(), force->num_parameters());
  const StepContext context{0.02, 0.01, 1};
  const VecX v = random_vector(n, 2), z = random_vector(n, 3), theta = table.values();
  const auto work = [&](const VecX& at_x, const VecX& at_v, const VecX& at_theta) {
    table.assign(at_theta);
    force->parameters_changed();
    VecX f = VecX::Zero(n);
    force->add_force(context, at_x, at_v, f);
    return z.dot(f);
  };
  VecX dx = VecX::Ones(n), dv = VecX::Ones(n), dtheta = VecX::Ones(theta.size());
  force->add_vjp(context, x, v, z, dx, dv, dtheta);
  dx -= VecX::Ones(n), dv -= VecX::Ones(n), dtheta -= VecX::Ones(theta.size());  // it adds to what is there
  EXPECT_GT(dx.norm() + dv.norm() + dtheta.norm(), 0) << "depends on nothing";
  const double size = std::abs(work(x, v, theta)) + z.norm();
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const VecX p = random_vector(n, 10 + seed).normalized();
    EXPECT_LT(
        difference_gap([&](double s) { return work(x + s * p, v, theta); }, dx.dot(p), 1e-2, 1e-3 * size),
        1e-8);
    EXPECT_LT(
        difference_gap([&](double s) { return work(x, v + s * p, theta); }, dv.dot(p), 1e-2, 1e-3 * size),
        1e-8);
  }
  for (Index i = 0; i < theta.size(); ++i) {
    const double step = 1e-2 * std::max(std::abs(theta[i]), 1e-2);
    EXPECT_LT(difference_gap([&](double s) { return work(x, v, theta + s * VecX::Unit(theta.size(), i)); },
                             dtheta[i], step, 1e-3 * dtheta.norm()),
              1e-8)
        << "parameter " << i;
  }
  table.assign(theta);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryForce, ::testing::ValuesIn(registry().types("force")));

class EveryLoss : public ::testing::TestWithParam<std::string> {
 protected:
  /// Frames fall and rise by turns, so that there is a bounce and an apex.
  static State state(Index n, unsigned seed) {
    State s{random_vector(n, seed), random_vector(n, seed + 100), 0.01 * seed};
    for (Index i = 2; i < n; i += 3) s.v[i] += seed % 2 == 0 ? 3 : -3;
    return s;
  }
  static Tape tape_of(Index n, Index steps) {
    Tape tape;
    for (Index k = 0; k <= steps; ++k) {
      tape.states.push_back(state(n, static_cast<unsigned>(k) + 1));
      tape.frames.push_back(k);
    }
    return tape;
  }
};

TEST_P(EveryLoss, GradientAgreesWithDifferencesAtEveryFrame) {
  const SampleBody body(make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8));
  const BuildContext context = body.context();
  const Index n = 3 * body.mesh.num_vertices();
  const auto loss = make_component<Loss>(GetParam(), context);
  if (loss->needs_reference()) {
    for (Index k = 0; k <= context.steps; ++k)
      loss->observe_reference(k, context.steps, state(n, static_cast<unsigned>(k) + 50));
  }
  Tape tape = tape_of(n, context.steps);
  const double weight = 1.7;
  double size = 0;
  for (Index k = 0; k <= context.steps; ++k) {
    Adjoint a;
    a.ensure(n);
    observed(*loss, tape)->add_gradient(k, tape.states[static_cast<std::size_t>(k)], weight, a);
    size += a.x.norm() + a.v.norm();
    for (unsigned seed = 1; seed <= 3; ++seed) {
      State& at = tape.states[static_cast<std::size_t>(k)];
      const State kept = at;
      const VecX px = random_vector(n, seed).normalized(), pv = random_vector(n, seed + 7).normalized();
      const auto along = [&](double s) {
        at.x = kept.x + s * px;
        at.v = kept.v + s * pv;
        const double value = weight * observed(*loss, tape)->value();
        at = kept;
        return value;
      };
      EXPECT_LT(difference_gap(along, a.x.dot(px) + a.v.dot(pv), 1e-1, 1e-3), 1e-8) << "frame " << k;
    }
  }
  EXPECT_GT(size, 0) << "depends on no frame";
}

TEST_P(EveryLoss, GradientOfItsParametersAgreesWithDifferences) {
  const SampleBody body(make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8));
  const BuildContext context = body.context();
  const auto loss = make_component<Loss>(GetParam(), context);
  ParameterTable table;
  table.add("loss", [&](ParamVisitor& v) { loss->visit_parameters(v); });
  ASSERT_EQ(table.size(), loss->num_parameters());
  if (table.size() == 0) return;
  if (loss->needs_reference()) {
    const Index nodes = 3 * body.mesh.num_vertices();
    for (Index k = 0; k <= context.steps; ++k)
      loss->observe_reference(k, context.steps, state(nodes, static_cast<unsigned>(k) + 50));
  }
  const Tape tape = tape_of(3 * body.mesh.num_vertices(), context.steps);
  const VecX theta = table.values();
  const double weight = -0.7;
  VecX gradient = VecX::Ones(theta.size());
  for (Index k = 0; k <= context.steps; ++k)
    observed(*loss, tape)
        ->add_parameter_gradient(k, tape.states[static_cast<std::size_t>(k)], weight, gradient);
  gradient -= VecX::Ones(theta.size());  // it adds to what is there
  EXPECT_GT(gradient.norm(), 0) << "depends on none of them";
  for (Index i = 0; i < theta.size(); ++i) {
    const auto along = [&](double s) {
      table.assign(theta + s * VecX::Unit(theta.size(), i));
      loss->parameters_changed();
      return weight * observed(*loss, tape)->value();
    };
    const double step = 1e-2 * std::max(std::abs(theta[i]), 0.1);
    EXPECT_LT(difference_gap(along, gradient[i], step, 1e-6 * std::abs(along(0)) / step), 1e-8)
        << table.entries()[0].path << " and so on, number " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLoss, ::testing::ValuesIn(registry().types("loss")));

}  // namespace
}  // namespace resilin::test

// Every registered contact model: its law or its forces against differences of themselves.
#include "core/contact/compliant_contact.hpp"
#include "core/contact/pair_law.hpp"
#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

class EveryContact : public ::testing::TestWithParam<std::string> {
 protected:
  EveryContact()
      : body_(make_box({1, 1, 1}, {2, 1, 1}, ElementType::Hex8)),
        model_(make_component<ContactModel>(GetParam(), body_.context(), {{"distance", 0.01}})) {
    table_.add("contact", [&](ParamVisitor& v) { model_->visit_parameters(v); });
  }
  /// Central differences of f along each parameter agree with the columns of `exact`.
  void expect_parameters(const std::function<VecX()>& f, const MatX& exact) {
    const VecX theta = table_.values();
    ASSERT_EQ(exact.cols(), theta.size());
    for (Index i = 0; i < theta.size(); ++i) {
      const double step = 1e-5 * std::max(1.0, std::abs(theta[i]));
      VecX side[2];
      for (const int k : {0, 1}) {
        table_.assign(theta + (k == 0 ? step : -step) * VecX::Unit(theta.size(), i));
        model_->parameters_changed();
        side[k] = f();
      }
      EXPECT_LT(((side[0] - side[1]) / (2 * step) - exact.col(i)).norm(), 1e-7 * (1 + exact.norm())) << i;
    }
    table_.assign(theta);
    model_->parameters_changed();
  }
  SampleBody body_;
  std::unique_ptr<ContactModel> model_;
  ParameterTable table_;
};

TEST_P(EveryContact, NamesItsNodesCollidersAndParameters) {
  EXPECT_FALSE(model_->nodes().empty());
  EXPECT_TRUE(std::is_sorted(model_->nodes().begin(), model_->nodes().end()));
  // Surfaces that touch each other have no collider.
  EXPECT_EQ(model_->colliders(), GetParam() == "self_contact" ? std::vector<Index>{} : std::vector<Index>{0});
  EXPECT_EQ(table_.size(), model_->num_parameters());
  EXPECT_LE(table_.size(), Index{ContactResponse::kMaxParameters});
}

TEST_P(EveryContact, ALawAnswersWithItsDerivatives) {
  const auto* law = dynamic_cast<const ContactLaw*>(model_.get());
  // Every type is one or the other (a scene refuses what is neither), and is checked by the tests of its
  // kind.
  if (law == nullptr) GTEST_SKIP() << "not a law";
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Vec3 n = random_vector(3, seed).normalized(), trial = random_vector(3, 50 + seed);
    const ContactResponse r = law->respond(trial, n);
    if (!(trial.dot(n) > 0)) {
      EXPECT_TRUE(r.force.isZero(0) && r.d_trial.isZero(0) && r.d_normal.isZero(0));
      continue;
    }
    EXPECT_NEAR(r.force.dot(n), trial.dot(n), 1e-12);
    const double h = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = Vec3::Unit(k), turn = (e - n.dot(e) * n) * h;
      EXPECT_LT(((law->respond(trial + h * e, n).force - law->respond(trial - h * e, n).force) / (2 * h) -
                 r.d_trial.col(k))
                    .norm(),
                1e-7);
      const Vec3 d = (law->respond(trial, (n + turn).normalized()).force -
                      law->respond(trial, (n - turn).normalized()).force) /
                     (2 * h);
      EXPECT_LT((d - r.d_normal * turn / h).norm(), 1e-7);
    }
    expect_parameters([&]() -> VecX { return law->respond(trial, n).force; }, r.d_parameters);
  }
}

TEST_P(EveryContact, NormalForcesAreSlopesOfAnEnergyThatOnlyPushes) {
  const auto* model = dynamic_cast<const CompliantContact*>(model_.get());
  // A law has no energy and no viscosity; its response is checked above.
  if (model == nullptr) GTEST_SKIP() << "a law";
  EXPECT_EQ(model->normal(0.1).force, 0) << "a colliders' neighbourhood is free";
  for (const double d : {-0.3, -0.05, -0.001}) {
    const NormalReaction r = model->normal(d);
    EXPECT_GE(r.energy, 0);
    EXPECT_GT(r.force, 0);
    const double h = -1e-4 * d;
    const NormalReaction plus = model->normal(d + h), minus = model->normal(d - h);
    EXPECT_NEAR((plus.energy - minus.energy) / (2 * h), -r.force, 1e-6 * r.force);
    EXPECT_NEAR((plus.force - minus.force) / (2 * h), -r.stiffness, 1e-6 * r.stiffness);
    expect_parameters([&]() -> VecX { return VecX::Constant(1, model->normal(d).force); },
                      r.d_parameters.transpose());
  }
}

TEST_P(EveryContact, FrictionIsTheSlopeOfAConvexDissipation) {
  const auto* model = dynamic_cast<const CompliantContact*>(model_.get());
  // A law has no energy and no viscosity; its response is checked above.
  if (model == nullptr) GTEST_SKIP() << "a law";
  EXPECT_TRUE(std::isfinite(model->friction(0, 3).viscosity));
  EXPECT_EQ(model->friction(1, 0).viscosity, 0) << "friction without a normal force";
  for (const double force : {0.01, 3.0, 200.0})
    for (const double s : {1e-3, 0.11, 7.0}) {
      const FrictionReaction r = model->friction(s, force);
      const double h = 1e-5 * s, dn = 1e-5 * force;
      const FrictionReaction plus = model->friction(s + h, force), minus = model->friction(s - h, force);
      EXPECT_NEAR((plus.dissipation - minus.dissipation) / (2 * h), r.viscosity * s,
                  1e-6 * (1 + r.viscosity * s));
      EXPECT_NEAR((plus.viscosity - minus.viscosity) / (2 * h), r.d_speed, 1e-6 * (1 + std::abs(r.d_speed)));
      EXPECT_GE(r.viscosity + s * r.d_speed, -1e-12 * r.viscosity) << "not convex";
      EXPECT_NEAR(
          (model->friction(s, force + dn).viscosity - model->friction(s, force - dn).viscosity) / (2 * dn),
          r.d_normal, 1e-6 * (1 + r.d_normal));
      expect_parameters([&]() -> VecX { return VecX::Constant(1, model->friction(s, force).viscosity); },
                        r.d_parameters.transpose());
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryContact, ::testing::ValuesIn(registry().types("contact")));

}  // namespace
}  // namespace resilin::test

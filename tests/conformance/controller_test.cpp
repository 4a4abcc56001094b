// Every registered sensor and controller: their pull-backs are derivatives, and they add to what is there.
#include "core/control/controller.hpp"

#include "tests/support/components.hpp"

namespace resilin::test {
namespace {

class EverySensor : public ::testing::TestWithParam<std::string> {
 protected:
  EverySensor() : body_(distorted_box({3, 2, 2}, ElementType::Hex8)) {
    state_.x = deformed(body_.mesh);
    state_.v = random_vector(state_.x.size(), 3);
    state_.t = 0.37;
  }
  std::unique_ptr<Sensor> make(const std::string& quantity) {
    ComponentSpec spec;
    spec.type = GetParam();
    spec.options = filled_options("sensor", GetParam(), {{"scale", 1.7}});
    Word word(quantity);
    spec.options->visit(word);
    has_quantity_ = word.found;
    return registry().make<Sensor>(spec, body_.context());
  }

  /// Sets the choice `quantity`.
  struct Word final : PassiveVisitor {
    explicit Word(std::string w) : word(std::move(w)) {}
    void choice(const char* name, std::string& value, std::initializer_list<const char*>,
                const Spec&) override {
      if (name != std::string("quantity")) return;
      found = true;
      value = word;
    }
    std::string word;
    bool found = false;
  };

  SampleBody body_;
  State state_;
  bool has_quantity_ = false;
};

TEST_P(EverySensor, PullsBackToTheState) {
  for (const char* quantity : {"position", "velocity"}) {
    SCOPED_TRACE(quantity);
    const auto sensor = make(quantity);
    ASSERT_GT(sensor->size(), 0);
    const VecX z = random_vector(sensor->size(), 5);
    VecX dx = VecX::Ones(state_.x.size()), dv = dx;
    sensor->add_vjp(state_, z, dx, dv);
    dx.array() -= 1, dv.array() -= 1;
    if (has_quantity_) {
      EXPECT_GT((std::string(quantity) == "position" ? dx : dv).norm(), 0);
    }
    const auto along = [&](const VecX& px, const VecX& pv) {
      return [&, px, pv](double s) {
        State moved = state_;
        moved.x += s * px, moved.v += s * pv;
        VecX out(sensor->size());
        sensor->read(moved, out);
        return z.dot(out);
      };
    };
    const VecX zero = VecX::Zero(dx.size());
    std::vector<VecX> directions{random_vector(dx.size(), 7).normalized()};
    for (const Index i : {0, 4, 17}) directions.push_back(VecX::Unit(dx.size(), i));
    if (dx.norm() > 0) directions.push_back(dx.normalized());
    if (dv.norm() > 0) directions.push_back(dv.normalized());
    for (const VecX& p : directions) {
      EXPECT_LT(difference_gap(along(p, zero), dx.dot(p), 1e-2, 1e-3), 1e-9);
      EXPECT_LT(difference_gap(along(zero, p), dv.dot(p), 1e-2, 1e-3), 1e-9);
    }
  }
}

TEST_P(EverySensor, GrowsWithItsScale) {
  const auto one = make_component<Sensor>(GetParam(), body_.context(), {{"scale", 1}}),
             three = make_component<Sensor>(GetParam(), body_.context(), {{"scale", 3}});
  VecX a(one->size()), b(three->size());
  one->read(state_, a);
  three->read(state_, b);
  EXPECT_GT(a.norm(), 0);
  EXPECT_LT((b - 3 * a).norm(), 1e-14 * b.norm());
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySensor, ::testing::ValuesIn(registry().types("sensor")));

class EveryController : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr Index kInputs = 4, kOutputs = 3;
  EveryController() : made_(make_component<Controller>(GetParam(), SampleBody(unit()).context())) {
    made_->attach(kInputs, kOutputs);
    table_.add("law", [&](ParamVisitor& v) { made_->visit_parameters(v); });
    table_.assign(0.4 * random_vector(table_.size(), 11));
    made_->parameters_changed();
  }
  static Mesh unit() { return make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8); }
  VecX evaluate(const VecX& s) const {
    VecX y(kOutputs);
    made_->evaluate(s, y);
    return y;
  }

  std::unique_ptr<Controller> made_;
  ParameterTable table_;
};

TEST_P(EveryController, PullsBackToInputsAndWeights) {
  ASSERT_EQ(table_.size(), made_->num_parameters());
  ASSERT_GT(table_.size(), 0);
  const VecX s = random_vector(kInputs, 1), z = random_vector(kOutputs, 2), theta = table_.values();
  VecX ds = VecX::Ones(kInputs), dtheta = VecX::Ones(theta.size());
  made_->add_vjp(s, z, ds, dtheta);
  ds.array() -= 1, dtheta.array() -= 1;
  EXPECT_GT(ds.norm(), 0);
  EXPECT_GT(dtheta.norm(), 0);
  std::vector<VecX> directions{ds.normalized(), random_vector(kInputs, 3)};
  for (Index i = 0; i < kInputs; ++i) directions.push_back(VecX::Unit(kInputs, i));
  for (const VecX& p : directions)
    EXPECT_LT(difference_gap([&](double h) { return z.dot(evaluate(s + h * p)); }, ds.dot(p), 1e-2,
                             1e-3 * ds.norm()),
              1e-8);
  directions = {dtheta.normalized(), random_vector(theta.size(), 4).normalized()};
  for (Index i = 0; i < theta.size(); i += std::max<Index>(1, theta.size() / 20))
    directions.push_back(VecX::Unit(theta.size(), i));
  for (const VecX& p : directions) {
    const auto along = [&](double h) {
      table_.assign(theta + h * p);
      made_->parameters_changed();
      return z.dot(evaluate(s));
    };
    EXPECT_LT(difference_gap(along, dtheta.dot(p), 1e-2, 1e-3 * dtheta.norm()), 1e-8);
  }
}

TEST_P(EveryController, IsMadeForItsNumberOfInputs) {
  for (const double declared : {0.0, 4.0, 5.0}) {
    const auto c =
        make_component<Controller>(GetParam(), SampleBody(unit()).context(), {{"inputs", declared}});
    if (declared != 5) {
      EXPECT_NO_THROW(c->attach(kInputs, kOutputs));
      continue;
    }
    try {
      c->attach(kInputs, kOutputs);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::Input);
      EXPECT_EQ(e.message(), "it was made for 5 inputs, but the sensors give 4");
    }
  }
}

// What is computed once for a run may not depend on what changes during it.
TEST(EveryControllableField, LeavesTheQuadraticFormAlone) {
  int controllable = 0;
  for (const std::string& type : registry().types("material")) {
    ComponentSpec spec;
    spec.type = type;
    spec.options = registry().make_options("material", type);
    const auto material = registry().make<Material>(spec, {});
    std::vector<double> params;
    std::vector<std::size_t> driven;
    for (const Field* field : material->fields())
      for (Index c = 0; c < field->components; ++c) {
        for (const Field* other : material->controllable())
          if (other == field) driven.push_back(params.size());
        params.push_back(field->at(0, 0, c));
      }
    EXPECT_GE(driven.size(), material->controllable().size()) << type << ": not all are among fields()";
    const Mat3 form = material->quadratic_form(params.data());
    for (const std::size_t k : driven) {
      std::vector<double> moved = params;
      moved[k] *= 1.3;
      EXPECT_EQ(material->quadratic_form(moved.data()), form) << type;
      ++controllable;
    }
  }
  EXPECT_GT(controllable, 0);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryController, ::testing::ValuesIn(registry().types("controller")));

}  // namespace
}  // namespace resilin::test

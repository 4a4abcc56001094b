// Types that the core was not written for, registered at run time and used from a scene like any other: an
// energy that couples two bodies, and a force that depends on velocities.
#include "core/optim/gradcheck.hpp"
#include "tests/support/scenes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <gmock/gmock.h>

namespace resilin::test {
namespace {

/// E = k/2 (|c_a - c_b| - l)^2, c the mean position of a body's nodes: couples every node with every other
/// one.
class CentroidSpring final : public Energy {
 public:
  struct Options {
    std::string first, second;
    double stiffness = 100, length = 0;
    void visit(ParamVisitor& v) {
      v.text("first", first, {.doc = "one body", .required = true});
      v.text("second", second, {.doc = "the other", .required = true});
      v.real("stiffness", stiffness,
             {.doc = "of the spring", .unit = "N/m", .min = 0, .differentiable = true});
      v.real("length", length, {.doc = "at rest", .unit = "m", .min = 0, .differentiable = true});
    }
  };

  CentroidSpring(const Options& options, const BuildContext& context)
      : options_(options), weight_(VecX::Zero(context.num_nodes)) {
    const BodyView &a = context.find_body("first", options.first),
                   &b = context.find_body("second", options.second);
    if (&a == &b) throw context.input_error("second", "a body cannot be tied to itself");
    const Index na = a.mesh->num_vertices(), nb = b.mesh->num_vertices();
    weight_.segment(a.first_node, na).setConstant(1 / static_cast<double>(na));
    weight_.segment(b.first_node, nb).setConstant(-1 / static_cast<double>(nb));
  }

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void parameters_changed() override { ++changes_; }
  Index changes() const { return changes_; }

  double value(const StepContext&, ConstVec x, Workspace&) const override {
    const double stretch = span(x).norm() - options_.length;
    return 0.5 * options_.stiffness * stretch * stretch;
  }
  double add_gradient(const StepContext& c, ConstVec x, MutVec g, Workspace& ws) const override {
    const Vec3 d = span(x);
    const Vec3 pull = options_.stiffness * (1 - options_.length / d.norm()) * d;
    for (Index i = 0; i < weight_.size(); ++i) g.segment<3>(3 * i) += weight_[i] * pull;
    return value(c, x, ws);
  }
  void add_pattern(BlockPattern& pattern) const override {
    for (Index i = 0; i < weight_.size(); ++i)
      for (Index j = 0; j <= i; ++j)
        if (weight_[i] != 0 && weight_[j] != 0) pattern.add_pair(i, j);
  }
  void add_hessian(const StepContext&, ConstVec x, BlockMatrix& h, bool project_psd,
                   Workspace&) const override {
    const Vec3 d = span(x), e = d.normalized();
    // Across the spring the stiffness is negative while it is compressed.
    double across = 1 - options_.length / d.norm();
    if (project_psd) across = std::max(0.0, across);
    const Mat3 k = options_.stiffness * (e * e.transpose() + across * (Mat3::Identity() - e * e.transpose()));
    for (Index i = 0; i < weight_.size(); ++i)
      for (Index j = 0; j <= i; ++j)
        if (weight_[i] != 0 && weight_[j] != 0) h.add_symmetric(i, j, weight_[i] * weight_[j] * k);
  }
  void add_quadratic_form(Triplets& a) const override {
    for (Index i = 0; i < weight_.size(); ++i)
      for (Index j = 0; j < weight_.size(); ++j)
        if (weight_[i] != 0 && weight_[j] != 0)
          a.emplace_back(i, j, options_.stiffness * weight_[i] * weight_[j]);
  }
  /// k/2 min |(c_a - c_b) - p|^2 over |p| = l
  bool is_projective() const override { return true; }

  Index num_parameters() const override { return 2; }
  void add_param_vjp(const StepContext&, ConstVec x, ConstVec z, MutVec out, Workspace&) const override {
    const Vec3 d = span(x), e = d.normalized();
    const double along = e.dot(span(z));
    out[0] += (d.norm() - options_.length) * along;
    out[1] -= options_.stiffness * along;
  }

 private:
  Vec3 span(ConstVec x) const { return as_columns(x) * weight_; }

  Options options_;
  VecX weight_;
  Index changes_ = 0;
};

/// f_i = -c |v_i| v_i
class QuadraticDrag final : public Force {
 public:
  struct Options {
    double coefficient = 1;
    void visit(ParamVisitor& v) {
      v.real("coefficient", coefficient,
             {.doc = "drag per vertex", .unit = "kg/m", .min = 0, .differentiable = true});
    }
  };
  QuadraticDrag(const Options& options, const BuildContext&) : options_(options) {}

  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  void add_force(const StepContext&, ConstVec, ConstVec v, MutVec f) const override {
    for (Index i = 0; i < v.size(); i += 3)
      f.segment<3>(i) -= options_.coefficient * v.segment<3>(i).norm() * v.segment<3>(i);
  }
  Index num_parameters() const override { return 1; }
  void add_vjp(const StepContext&, ConstVec, ConstVec v, ConstVec z, MutVec, MutVec dv,
               MutVec dtheta) const override {
    for (Index i = 0; i < v.size(); i += 3) {
      const Vec3 u = v.segment<3>(i), w = z.segment<3>(i);
      const double speed = u.norm();
      if (speed == 0) continue;  // the force and its derivative vanish
      dv.segment<3>(i) -= options_.coefficient * (speed * w + u.dot(w) / speed * u);
      dtheta[0] -= speed * u.dot(w);
    }
  }

 private:
  Options options_;
};

/// An energy whose parameters do not add up: num_parameters() stayed at its default.
class Miscounted final : public Energy {
 public:
  struct Options {
    double stiffness = 1;
    void visit(ParamVisitor& v) { v.real("stiffness", stiffness, {.doc = "unused", .differentiable = true}); }
  };
  Miscounted(const Options& options, const BuildContext&) : options_(options) {}
  void visit_parameters(ParamVisitor& v) override { options_.visit(v); }
  double value(const StepContext&, ConstVec, Workspace&) const override { return 0; }
  double add_gradient(const StepContext&, ConstVec, MutVec, Workspace&) const override { return 0; }
  void add_pattern(BlockPattern&) const override {}
  void add_hessian(const StepContext&, ConstVec, BlockMatrix&, bool, Workspace&) const override {}
  void add_quadratic_form(Triplets&) const override {}

 private:
  Options options_;
};

/// The first-party types and those above; apart from the other tests' registry.
Registry& foreign_registry() {
  static Registry* instance = [] {
    auto* r = new Registry;
    r->load_folder(RESILIN_PLUGIN_DIR);
    r->add<Energy, CentroidSpring>("centroid_spring", "Spring between the centroids of two bodies");
    r->add<Energy, Miscounted>("miscounted", "Wrong on purpose");
    r->add<Force, QuadraticDrag>("quadratic_drag", "Drag that grows with the square of the speed");
    return r;
  }();
  return *instance;
}

std::string weights(Index n, double size, double frequency) {
  std::string text = "[";
  for (Index i = 0; i < n; ++i) {
    const double a = frequency * static_cast<double>(i);
    text += fmt::format("{}[{}, {}, {}]", i ? ", " : "", size * std::sin(a + 0.3), size * std::cos(2 * a),
                        size * std::sin(3 * a + 1));
  }
  return text + "]";
}

std::string scene(const std::string& rest) {
  return R"(
time: {step: 0.02, steps: 8}
bodies:
  left:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}
    density: 1000
    materials: [{type: corotated, youngs_modulus: 1e5, poissons_ratio: 0.3}]
    pins: [{nodes: {box: {min: [0, 0, 0], max: [0, 0.1, 0.1]}}}]
  right:
    mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1], origin: [0.5, 0.1, 0]}}
    density: 500
    materials: [{type: stable_neo_hookean, youngs_modulus: 5e4, poissons_ratio: 0.3}]
    initial: {velocity: [0.3, 0.5, 0], angular_velocity: [0, 2, 1]}
energies:
  tie: {type: centroid_spring, first: left, second: right, stiffness: 400, length: 0.3}
forces:
  air: {type: quadratic_drag, coefficient: 0.4}
forward: {type: newton, relative_tolerance: 1e-12}
backward: {type: direct, relative_tolerance: 1e-12}
)" + rest;
}

SceneFile read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TestFolder folder;
  return load_scene(folder.write("scene.yaml", text), overrides, foreign_registry());
}
std::unique_ptr<Simulation> simulation(const std::vector<std::string>& overrides = {}) {
  const SceneFile f = read(scene(""), overrides);
  return std::make_unique<Simulation>(f.options.scene, foreign_registry(), f.places);
}
std::string error_of(const std::string& text) {
  try {
    const SceneFile f = read(text);
    const Simulation s(f.options.scene, foreign_registry(), f.places);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(ForeignEnergy, PassesTheGradientCheckFromAScene) {
  const SceneFile f = read(
      scene(fmt::format("losses: [{{loss: {{type: linear_functional, positions: {}, velocities: {}}}}}]\n",
                        weights(24, 1, 0.7), weights(24, 0.01, 0.3))));
  Task task(f.options, foreign_registry(), f.places);
  const GradcheckReport report = check_gradient(task, {});
  std::vector<std::string> checked;
  for (const GradcheckRow& row : report.rows) {
    EXPECT_TRUE(row.passed) << row.path << " " << row.direction << ": " << row.adjoint << " against "
                            << row.difference;
    EXPECT_LE(row.error, 1e-6) << row.path;
    if (!row.below_noise && row.adjoint != 0) checked.push_back(row.path);
  }
  EXPECT_TRUE(report.passed);
  for (const char* path : {"energies.tie.stiffness", "energies.tie.length", "forces.air.coefficient",
                           "bodies.right.initial.velocity", "bodies.left.materials[0].youngs_modulus"})
    EXPECT_THAT(checked, ::testing::Contains(path));
  RecordProperty("worst_error", fmt::format("{:.1e}", report.worst_error));
}

TEST(ForeignEnergy, WorksWithEverySolver) {
  Tape exact;
  const auto reference = simulation();
  reference->run(exact, true);
  const VecX w = as_columns(exact.states.back().x).colwise().sum().replicate(3, 1).reshaped();
  const auto seed = [&](Index frame, Adjoint& a) {
    if (frame == 8) a.x += w;
  };
  const VecX gradient = reference->gradient(exact, seed);
  for (const char* forward : {"pd", "pd_newton_krylov"}) {
    Tape tape;
    simulation(
        {fmt::format("forward={{type: {}, relative_tolerance: 1e-11, max_iterations: 20000}}", forward)})
        ->run(tape, true);
    EXPECT_LE((tape.states.back().x - exact.states.back().x).cwiseAbs().maxCoeff(), 1e-8) << forward;
  }
  for (const char* backward : {"pd_krylov", "pd_fixed_point"}) {
    const auto sim = simulation({fmt::format("backward={{type: {}, relative_tolerance: 1e-11}}", backward)});
    Tape tape;
    sim->run(tape, true);
    EXPECT_LE(relative_error(sim->gradient(tape, seed), gradient), 1e-7) << backward;
  }
}

TEST(ForeignEnergy, PullsBothBodiesAlikeAndStoresItsEnergy) {
  const auto sim = simulation({"bodies.left.pins=[]", "gravity=[0, 0, 0]", "forces.air.coefficient=0"});
  Tape tape;
  sim->run(tape, true);
  const VecX& m = sim->system().mass();
  const Vec3 before = as_columns(tape.states.front().v) * m, after = as_columns(tape.states.back().v) * m;
  EXPECT_LE((after - before).norm(), 1e-9 * before.norm());
  // Both bodies are undeformed at first: centroids [0.1, 0.05, 0.05] and [0.6, 0.15, 0.05], rest length 0.3.
  const double stretch = std::hypot(0.5, 0.1) - 0.3;
  EXPECT_NEAR(sim->elastic_energy(tape.states.front(), 0), 0.5 * 400 * stretch * stretch, 1e-9);
}

TEST(ForeignForce, SlowsAFreeBodyAsWritten) {
  const auto sim =
      simulation({"bodies.left.pins=[]", "gravity=[0, 0, 0]", "energies.tie.stiffness=0",
                  "bodies.right.materials=[{type: corotated, youngs_modulus: 5e4, poissons_ratio: 0.3}]",
                  "bodies.right.initial.angular_velocity=[0, 0, 0]"});
  Tape tape;
  sim->run(tape, true);
  const Vec3 v(0.3, 0.5, 0);
  const Vec3 force = -0.4 * v.norm() * v * 12;  // 12 vertices
  const double mass = 500 * 0.2 * 0.1 * 0.1;
  const Mat3X moved = as_columns(tape.states[1].v).rightCols(12);
  const Vec3 momentum = moved * sim->system().mass().tail(12);
  EXPECT_LE((momentum - (mass * v + 0.02 * force)).norm(), 1e-9);
}

TEST(ForeignEnergy, HasItsParametersInTheTable) {
  const auto sim = simulation();
  System& s = sim->system();
  const ParameterEntry stiffness = *s.parameters().find("energies.tie.stiffness").front();
  const auto& spring = dynamic_cast<const CentroidSpring&>(*s.energies().back());
  EXPECT_EQ(s.energies().size(), 3U);
  EXPECT_EQ(s.energy_offset(2), stiffness.offset);
  EXPECT_LT(stiffness.offset, s.parameters().find("forces.air.coefficient").front()->offset);
  const double before = sim->elastic_energy(s.initial_state(), 0);
  VecX theta = s.parameters().values();
  theta[stiffness.offset] *= 2;
  s.set_parameters(theta);
  EXPECT_EQ(spring.changes(), 1);
  EXPECT_NEAR(sim->elastic_energy(s.initial_state(), 0), 2 * before, 1e-9);
}

TEST(ForeignEnergy, MistakesAreFoundWithTheirPlace) {
  const std::string text = scene("");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  const std::string unknown_type = error_of(replaced("type: centroid_spring", "type: centroid_sprin"));
  EXPECT_THAT(unknown_type, ::testing::HasSubstr("centroid_spring"));
  EXPECT_THAT(unknown_type, ::testing::HasSubstr("scene.yaml:15"));
  const std::string no_body = error_of(replaced("second: right", "second: rihgt"));
  EXPECT_THAT(no_body, ::testing::HasSubstr("energies.tie.second"));
  EXPECT_THAT(no_body, ::testing::HasSubstr("scene.yaml:15"));
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_THAT(error_of(replaced("  tie:", "  bad: {type: miscounted}\n  tie:")),
              ::testing::AllOf(::testing::HasSubstr("energies.bad"), ::testing::HasSubstr("num_parameters")));
}

}  // namespace
}  // namespace resilin::test

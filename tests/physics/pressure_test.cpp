// Pressure on surfaces: balance, resultants, work against the enclosed volume, motion, gradients.
#include "tests/physics/statics.hpp"
#include "tests/support/components.hpp"
#include "tests/support/gradcheck.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

std::unique_ptr<Force> pressure(const SampleBody& body, const std::string& options) {
  ComponentSpec spec;
  spec.type = "pressure";
  spec.options = registry().make_options("force", "pressure");
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree("{" + options + "}", "options"), [&](ParamVisitor& v) { spec.options->visit(v); },
      registry(), diagnostics, places);
  diagnostics.throw_if_any();
  return registry().make<Force>(spec, body.context());
}

Mat3X force_at(const Force& force, const VecX& x, double time = 0, Index step = 0) {
  VecX f = VecX::Zero(x.size());
  force.add_force({time, 0.01, step}, x, VecX::Zero(x.size()), f);
  return as_columns(f);
}

class PressureOn : public ::testing::TestWithParam<ElementType> {};

TEST_P(PressureOn, AClosedSurfaceIsInBalance) {
  const SampleBody body(distorted_box({3, 2, 2}, GetParam()));
  const VecX x = deformed(body.mesh);
  const Mat3X f = force_at(*pressure(body, "pressure: 1e5"), x);
  Vec3 moment = Vec3::Zero();
  for (Index i = 0; i < f.cols(); ++i) moment += x.segment<3>(3 * i).cross(f.col(i));
  EXPECT_GT(f.norm(), 100);
  EXPECT_LT(f.rowwise().sum().norm(), 1e-12 * f.norm());
  EXPECT_LT(moment.norm(), 1e-12 * f.norm());
}

// p dV/dx: the work of the pressure is that of the volume it takes away. The volume is of third order in x,
// of which central differences of fourth order are exact.
TEST_P(PressureOn, AClosedSurfaceDoesTheWorkOfTheVolume) {
  const SampleBody body(distorted_box({2, 2, 1}, GetParam()));
  const VecX x = deformed(body.mesh);
  const Mat3X f = force_at(*pressure(body, "pressure: 2.5"), x);
  const auto volume = [&](const VecX& at) {
    Mesh mesh = body.mesh;
    mesh.vertices = as_columns(at);
    return element_measures(mesh).sum();
  };
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX d = random_vector(x.size(), seed).normalized();
    const double work = f.reshaped().dot(d), h = 0.1;
    const double slope =
        (8 * (volume(x + h * d) - volume(x - h * d)) - (volume(x + 2 * h * d) - volume(x - 2 * h * d))) /
        (12 * h);
    EXPECT_NEAR(work, -2.5 * slope, 1e-12);
    EXPECT_GT(std::abs(work), 1e-4);
  }
}

TEST_P(PressureOn, AFlatSideIsPressureTimesArea) {
  const SampleBody body(make_box({0.3, 0.4, 0.2}, {3, 2, 2}, GetParam()));
  const VecX x = body.mesh.vertices.reshaped();
  const auto force = pressure(body, "pressure: 50, faces: {box: {min: [0.3, 0, 0], max: [0.3, 0.4, 0.2]}}");
  const Mat3X f = force_at(*force, x);
  EXPECT_LT((f.rowwise().sum() - Vec3(-50 * 0.4 * 0.2, 0, 0)).norm(), 1e-13);
  Vec3 moment = Vec3::Zero();
  for (Index i = 0; i < f.cols(); ++i) {
    moment += body.mesh.vertices.col(i).cross(f.col(i));
    if (body.mesh.vertices(0, i) < 0.29) {
      EXPECT_EQ(f.col(i).norm(), 0) << i;
    }
  }
  EXPECT_LT((moment - Vec3(0.3, 0.2, 0.1).cross(Vec3(-4, 0, 0))).norm(), 1e-13);  // acts at the centre
}

TEST_P(PressureOn, AFaceTurnsAndGrowsWithIt) {
  const SampleBody body(distorted_box({2, 2, 1}, GetParam()));
  const VecX x = deformed(body.mesh);
  const auto force = pressure(body, "pressure: -7, faces: {plane: {point: [0.1, 0, 0], normal: [1, 0, 0]}}");
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Mat3X f = force_at(*force, x);
  EXPECT_GT(f.norm(), 0.01);
  const VecX turned = (turn * as_columns(x)).colwise().operator+(Vec3(3, 1, -2)).reshaped();
  EXPECT_LT((force_at(*force, turned) - turn * f).norm(), 1e-13);
  EXPECT_LT((force_at(*force, 2 * x) - 4 * f).norm(), 1e-13);
}

TEST_P(PressureOn, AllSidesShrinksABodyByItsBulkModulus) {
  // Small pressure on an elastic body: dV/V = -p/K with K = E/(3 (1 - 2 nu)).
  const double p = 1e-2, e = 1e5, nu = 0.3;
  const auto sim = make_simulation(fmt::format(
      R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
integrator: quasi_static
bodies:
  cube:
    mesh: {{generator: {{type: box, size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: {}}}}}
    materials: [{{type: linear_elastic, youngs_modulus: {}, poissons_ratio: {}}}]
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}, axes: [x]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0.1, 0, 0.1]}}}}, axes: [y]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0.1, 0.1, 0]}}}}, axes: [z]}}
forces: {{around: {{type: pressure, pressure: {}}}}}
forward: {{type: newton, relative_tolerance: 1e-12, absolute_tolerance: 0}}
)",
      name_of(GetParam()), e, nu, p));
  Tape tape;
  sim->run(tape, true);
  const double strain = -p * (1 - 2 * nu) / e;
  for (Index i = 0; i < sim->system().num_nodes(); ++i) {
    const Vec3 at = tape.states[0].x.segment<3>(3 * i), moved = tape.states[1].x.segment<3>(3 * i) - at;
    EXPECT_LT((moved - strain * at).norm(), 1e-6 * 0.1 * std::abs(strain)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, PressureOn, ::testing::Values(ElementType::Tet4, ElementType::Hex8),
                         [](const auto& p) { return name_of(p.param); });

TEST(Pressure, IsPerFaceAndFollowsKeyTimes) {
  const SampleBody body(make_box({2, 1, 1}, {2, 1, 1}, ElementType::Hex8));
  const VecX x = body.mesh.vertices.reshaped();
  const auto force = pressure(body,
                              "faces: {box: {min: [0, 0, 1], max: [2, 1, 1]}}, key_times: [1, 3], pressure: "
                              "{steps: [[1, 2], [5, 10]]}");
  for (const auto& [time, factor] : {std::pair{0.5, 1.0}, {1.0, 1.0}, {1.5, 2.0}, {3.0, 5.0}, {9.0, 5.0}}) {
    const Mat3X f = force_at(*force, x, time);
    EXPECT_LT((f.rowwise().sum() - Vec3(0, 0, -3 * factor)).norm(), 1e-14) << time;
    for (Index i = 0; i < f.cols(); ++i) {
      // Each of the four corners of a unit face takes a quarter.
      const Vec3 at = body.mesh.vertices.col(i);
      const double expected = at.z() < 0.5 ? 0 : at.x() < 0.5 ? 0.25 : at.x() < 1.5 ? 0.75 : 0.5;
      EXPECT_NEAR(f(2, i), -expected * factor, 1e-14) << time;
    }
  }
  const auto stepped = pressure(body, "pressure: {steps: [1, 2, 3]}");
  EXPECT_LT((force_at(*stepped, x, 0, 2) - 3 * force_at(*stepped, x, 0, 0)).norm(), 1e-14);
}

std::string tube(const std::string& options) {
  return fmt::format(R"(
time: {{step: 0.02, steps: 6}}
gravity: [0, 0, 0]
bodies:
  bar:
    mesh: {{generator: {{type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}}}
    materials: [{{type: stable_neo_hookean, youngs_modulus: 1e5, poissons_ratio: 0.3}}]
    pins: [{{nodes: {{box: {{min: [0, 0, 0], max: [0, 0.1, 0.1]}}}}}}]
forces:
  push: {{type: pressure, {}}}
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 1e-12}}
backward: {{type: direct, relative_tolerance: 1e-13}}
losses: [{{loss: {{type: linear_functional, positions: [1, -0.5, 0.7], velocities: [0.01, 0, 0.02]}}}}]
)",
                     options);
}

TEST(Pressure, PassesTheGradientCheck) {
  const auto task = make_task(
      tube("key_times: [0.03, 0.07, 0.1], faces: {box: {min: [0, 0, 0.1], max: [0.2, 0.1, 0.1]}}, pressure: "
           "{steps: [3000, [4000, 6000], [2000, -1000]]}"));
  expect_gradients(*task, {"forces.push.pressure", "bodies.bar.initial.displacements"}, 3);
}

std::string error_of(const std::string& text) {
  try {
    make_simulation(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Pressure, SaysWhatIsWrong) {
  const auto expect = [](const std::string& options, const char* key, const char* message) {
    const std::string text = error_of(tube(options));
    EXPECT_THAT(text, ::testing::HasSubstr(key));
    EXPECT_THAT(text, ::testing::HasSubstr(message));
  };
  EXPECT_EQ(error_of(tube("pressure: 1")), "no error");
  expect("pressure: 1, faces: {indices: [0, 1]}", "forces.push.faces", "all vertices of no face of body bar");
  expect("pressure: [1, 2, 3]", "forces.push.pressure", "one or 10 (a selected face each)");
  expect("pressure: {steps: [1, 2]}", "forces.push.pressure", "the scene has 6 steps");
  expect("pressure: 1, key_times: [0, 1]", "forces.push.key_times", "2 times given; pressure has 1 entries");
  expect("faces: {indices: [0]}", "forces.push", "missing required key 'pressure'");
}

}  // namespace
}  // namespace resilin::test

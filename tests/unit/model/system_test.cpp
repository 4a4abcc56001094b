#include "core/model/system.hpp"

#include "tests/support/components.hpp"

#include <fmt/format.h>

namespace resilin::test {
namespace {

std::string body(const std::string& rest, const std::string& name = "a") {
  return "{bodies: {" + name +
         ": {mesh: {generator: {type: box, size: [0.2, 0.1, 0.1], cells: [2, 1, 1]}}, materials: "
         "[corotated]" +
         (rest.empty() ? "" : ", " + rest) + "}}}";
}
std::string error_of(const std::string& yaml) {
  try {
    (void)make_simulation(yaml);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input) << e.what();
    return e.what();
  }
  return "no error";
}
void expect_error(const std::string& yaml, const std::string& part) {
  const std::string text = error_of(yaml);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}
Mat3X rest() {
  return make_box({0.2, 0.1, 0.1}, {2, 1, 1}, ElementType::Hex8).vertices;
}

TEST(SystemMass, LumpedUniformAndPerElement) {
  const auto lumped = make_simulation(body("density: 1000"));
  EXPECT_NEAR(lumped->system().mass().sum(), 1000 * 0.002, 1e-13);
  const auto uniform = make_simulation(body("density: 1000, mass: uniform"));
  EXPECT_LT((uniform->system().mass() - VecX::Constant(12, 1000 * 0.001)).cwiseAbs().maxCoeff(), 1e-13);
  const auto two = make_simulation(body("density: [1000, 3000]"));
  const VecX m = two->system().mass();
  for (Index i = 0; i < 12; ++i) {
    const double x = rest()(0, i);
    EXPECT_NEAR(m[i], x < 0.05 ? 0.125 : x > 0.15 ? 0.375 : 0.5, 1e-13);
  }
}

TEST(SystemMass, FollowsTheParametersAndRaisesTheRevision) {
  const auto sim = make_simulation(body("density: [1000, 3000]"));
  System& s = sim->system();
  VecX theta = s.parameters().values();
  const ParameterEntry& e = *s.parameters().find("bodies.a.density").front();
  ASSERT_EQ(e.size, 2);
  theta[e.offset] = 5000;
  const std::uint64_t before = s.revision();
  s.set_parameters(theta);
  EXPECT_NEAR(s.mass().sum(), 8, 1e-12);
  EXPECT_GT(s.revision(), before);
  theta[e.offset] = -1;
  EXPECT_THROW(s.set_parameters(theta), Error);
  EXPECT_NEAR(s.mass().sum(), 8, 1e-12) << "a refused value changes nothing";
}

TEST(SystemMass, MistakesAreNamed) {
  expect_error(body("density: [1000, 2000, 3000]"),
               "bodies.a.density: 3 values given; one or 2 (an element each)");
  expect_error(body("density: [1000, 2000], mass: uniform"), "uniform mass needs one density");
}

TEST(InitialState, TurnsMovesDisplacesAndSpins) {
  const auto sim =
      make_simulation(body("initial: {translation: [1, 2, 3], rotation: [0, 0, 1.5707963267948966], "
                           "velocity: [1, 0, 0], angular_velocity: "
                           "[0, 0, 2], displacements: [0, 0, 0.5], velocities: [0, 3, 0]}"));
  const State s = sim->system().initial_state();
  const Vec3 center = rest().rowwise().mean();
  for (Index i = 0; i < 12; ++i) {
    const Vec3 r = rest().col(i) - center, turned(-r.y(), r.x(), r.z());
    EXPECT_LT((Vec3(s.x.segment<3>(3 * i)) - (center + turned + Vec3(1, 2, 3.5))).norm(), 1e-15);
    EXPECT_LT((Vec3(s.v.segment<3>(3 * i)) - (Vec3(1, 3, 0) + Vec3(0, 0, 2).cross(turned))).norm(), 1e-14);
  }
  EXPECT_NEAR(sim->system().kinetic_energy(s),
              0.5 * (as_columns(s.v).colwise().squaredNorm() * sim->system().mass())(0), 1e-12);
  EXPECT_NEAR(sim->system().gravitational_energy(s),
              9.81 * (as_columns(s.x).row(2) * sim->system().mass())(0), 1e-10);
}

TEST(InitialState, TwistTurnsInProportionAndKeepsTheAxis) {
  const auto sim =
      make_simulation(body("initial: {twist: {axis: [2, 0, 0], point: [0, 0.05, 0.05], rate: 5}}"));
  const State s = sim->system().initial_state();
  for (Index i = 0; i < 12; ++i) {
    const Vec3 r = rest().col(i) - Vec3(0, 0.05, 0.05), x = s.x.segment<3>(3 * i);
    const double c = std::cos(5 * r.x()), d = std::sin(5 * r.x());
    EXPECT_LT((x - Vec3(r.x(), 0.05 + c * r.y() - d * r.z(), 0.05 + d * r.y() + c * r.z())).norm(), 1e-15);
  }
  expect_error(body("initial: {twist: {axis: [0, 0, 0]}}"),
               "bodies.a.initial.twist.axis: the axis must not be zero");
}

TEST(InitialState, PositionsComeFromAFileOfTheRightSize) {
  const TestFolder folder;
  std::string rows;
  for (int i = 0; i < 12; ++i) rows += fmt::format("{},{},{}\n", 0.1 * i, 0.2 * i, 0.3 * i);
  const std::string good = folder.write("good.csv", rows), bad = folder.write("bad.csv", "1,2,3\n4,5,6\n");
  const auto sim = make_simulation(body("initial: {positions: '" + good + "'}"));
  EXPECT_LT((as_columns(sim->system().initial_state().x).col(11) - Vec3(1.1, 2.2, 3.3)).norm(), 1e-15);
  expect_error(body("initial: {positions: '" + bad + "'}"), "the mesh has 12 vertices");
}

TEST(InitialState, PerVertexFieldsNeedOneEntryPerVertex) {
  expect_error(body("initial: {velocities: [[0, 0, 0], [1, 1, 1]]}"),
               "bodies.a.initial.velocities: 2 entries given; one or 12");
}

TEST(Pins, HoldSelectedAxesAtTheInitialOrTheRestShape) {
  const auto sim =
      make_simulation(body("initial: {translation: [0, 0, 1], displacements: [0.25, 0, 0]}, pins: [{nodes: "
                           "{indices: [0]}}, {nodes: "
                           "{indices: [3]}, axes: [x, z], hold: rest}]"));
  const System& s = sim->system();
  std::vector<Index> held;
  for (Index i = 0; i < s.num_dofs(); ++i)
    if (s.fixed()[static_cast<std::size_t>(i)]) held.push_back(i);
  EXPECT_EQ(held, (std::vector<Index>{0, 1, 2, 9, 11}));
  const Vec3 moved = rest().col(0) + Vec3(0.25, 0, 1);
  VecX x = VecX::Constant(s.num_dofs(), 77);
  s.place_pins(0, x);
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(x[k], moved[k], 1e-15);
  EXPECT_EQ(x[9], rest()(0, 3));
  EXPECT_EQ(x[10], 77);
  EXPECT_EQ(x[11], rest()(2, 3));
}

TEST(Pins, StayWhereTheyAreWhileStepping) {
  const auto sim = make_simulation(body("initial: {velocity: [1, 1, 1]}, pins: [{nodes: {indices: [0, 5]}}]"),
                                   {"time.steps=3"});
  Tape tape;
  (void)sim->run(tape, true);
  for (const State& s : tape.states)
    for (const Index node : {0, 5}) EXPECT_EQ(Vec3(s.x.segment<3>(3 * node)), Vec3(rest().col(node))) << s.t;
}

TEST(Pins, ASelectionOfNothingIsAMistake) {
  expect_error(body("pins: [{nodes: {sphere: {center: [9, 9, 9], radius: 1}}}]"),
               "bodies.a.pins[0].nodes: the selection matches no vertex");
}

TEST(SystemParameters, AreListedByPathInOneVector) {
  const auto sim = make_simulation(R"(
bodies:
  a: {mesh: {generator: {type: box, cells: [1, 1, 1]}}, materials: [corotated, muscle]}
  b: {mesh: {generator: {type: box, cells: [1, 1, 1]}}, materials: [neo_hookean], initial: {translation: [3, 0, 0]}}
forces: {push: {type: nodal_force, body: b, force: [1, 2, 3]}}
)");
  const System& s = sim->system();
  std::vector<std::string> paths;
  for (const ParameterEntry& e : s.parameters().entries()) paths.push_back(e.path);
  EXPECT_EQ(paths.front(), "gravity");
  EXPECT_EQ(paths.back(), "forces.push.force");
  for (const char* path : {"bodies.a.density", "bodies.a.initial.velocity", "bodies.b.initial.displacements",
                           "bodies.a.materials[1].activation", "bodies.b.materials[0].poissons_ratio"})
    EXPECT_EQ(std::count(paths.begin(), paths.end(), path), 1) << path;
  EXPECT_EQ(s.energy_offset(1), s.parameters().find("bodies.b.materials[0].youngs_modulus").front()->offset);
  EXPECT_EQ(s.force_offset(0), s.parameters().find("forces.push.force").front()->offset);
  VecX theta = s.parameters().values();
  theta.segment<3>(s.force_offset(0)) = Vec3(4, 5, 6);
  sim->system().set_parameters(theta);
  VecX f = VecX::Zero(s.num_dofs());
  s.forces()[0]->add_force({}, s.initial_state().x, s.initial_state().v, f);
  EXPECT_TRUE(f.head(24).isZero(0)) << "acts on body b alone";
  EXPECT_EQ(Vec3(f.segment<3>(24)), Vec3(4, 5, 6));
}

TEST(SystemMistakes, PointToWhatIsWrong) {
  expect_error("{bodies: {}}", "a scene needs at least one body");
  expect_error("{bodies: {a: {mesh: {generator: box}, materials: []}}}", "bodies.a.materials");
  expect_error("{bodies: {a: {mesh: {}, materials: [corotated]}}}", "a mesh needs a generator or a file");
  expect_error(body("", "a").substr(0, body("", "a").size() - 1) +
                   ", forces: {f: {type: nodal_force, body: c, force: "
                   "[0, 0, 0]}}}",
               "forces.f.body: no body 'c'");
}

TEST(SystemMistakes, ASurfaceNeedsAVoxelSizeAndGetsHexahedraWithIt) {
  const std::string mesh = "{bodies: {a: {mesh: {file: '" + surface_file() + "'%}, materials: [corotated]}}}";
  const auto with = [&](const std::string& more) {
    return std::string(mesh).replace(mesh.find('%'), 1, more);
  };
  expect_error(with(""), "give voxel_size to fill a closed surface");
  const auto sim = make_simulation(with(", voxel_size: 0.5, scale: 2, translation: [1, 0, 0]"));
  const Mesh& made = sim->system().bodies()[0]->mesh;
  EXPECT_EQ(made.type, ElementType::Hex8);
  EXPECT_EQ(made.num_elements(), 64);  // a cube of edge 2
  EXPECT_NEAR(made.vertices.row(0).minCoeff(), 1, 1e-15);
}

TEST(SystemDiagnose, NamesBodyAndNode) {
  const auto sim = make_simulation(body(""));
  VecX x = sim->system().initial_state().x;
  EXPECT_EQ(sim->system().diagnose({}, x), "");
  x[3 * 4 + 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sim->system().diagnose({}, x), "body a: the position of node 4 is not finite");
}

}  // namespace
}  // namespace resilin::test

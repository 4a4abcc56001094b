// Bodies of triangles: tension in closed form, masses, pressure, a balloon.
#include "core/mesh/io.hpp"
#include "tests/physics/statics.hpp"
#include "tests/support/material_point.hpp"

namespace resilin::test {
namespace {

constexpr double kLength = 0.4, kWidth = 0.2, kThickness = 0.003, kYoung = 1e6, kNu = 0.3;
constexpr int kAlong = 6, kAcross = 4;

struct Stretch {
  double along, across;
};

/// The same force for each of n + 1 vertices of an edge, half of it at its ends, one row x, y, z each.
std::string edge_loads(const Vec3& total, int n) {
  std::string text;
  for (int i = 0; i <= n; ++i) {
    const Vec3 f = total / n * (i == 0 || i == n ? 0.5 : 1);
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", f.x(), f.y(), f.z());
  }
  return text;
}

class Membrane : public SceneTest {
 protected:
  /// A flat sheet, two edges on lines of symmetry, pulled at the other two by dead loads of these stresses
  /// [Pa] per area of the section at rest.
  Stretch pull(const std::string& materials, double along, double across) {
    files_.write("along.csv", edge_loads({along * kWidth * kThickness, 0, 0}, kAcross));
    files_.write("across.csv", edge_loads({0, across * kLength * kThickness, 0}, kAlong));
    const auto sim = simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
gravity: [0, 0, 0]
bodies:
  sheet:
    mesh: {{generator: {{type: grid, size: [{0}, {1}], cells: [{2}, {3}]}}}}
    thickness: {4}
    materials: [{5}]
    pins:
      - {{nodes: {{box: {{min: [0, 0, 0], max: [0, {1}, 0]}}}}, axes: [x]}}
      - {{nodes: {{box: {{min: [0, 0, 0], max: [{0}, 0, 0]}}}}, axes: [y]}}
      - {{axes: [z]}}
forces:
  along: {{type: nodal_force, nodes: {{plane: {{point: [{0}, 0, 0], normal: [1, 0, 0]}}}}, force: {{file: along.csv}}}}
  across: {{type: nodal_force, nodes: {{plane: {{point: [0, {1}, 0], normal: [0, 1, 0]}}}}, force: {{file: across.csv}}}}
integrator: quasi_static
forward: {{type: newton, relative_tolerance: 1e-13, absolute_tolerance: 0, max_iterations: 200}}
)",
                                            kLength, kWidth, kAlong, kAcross, kThickness, materials));
    Tape tape;
    sim->run(tape, true);
    const Mat3X x = as_columns(tape.states.back().x), rest = as_columns(sim->system().initial_state().x);
    const Index far = x.cols() - 1;
    const Stretch s{x(0, far) / kLength, x(1, far) / kWidth};
    for (Index i = 0; i < x.cols(); ++i)  // all of it is stretched alike
      EXPECT_LT((x.col(i) - Vec3(s.along, s.across, 1).cwiseProduct(Vec3(rest.col(i)))).norm(), 1e-10);
    return s;
  }
};

std::string law(const std::string& type, const std::string& more = {}) {
  return fmt::format("{{type: {}, E: {}, nu: {}{}}}", type, kYoung, kNu, more);
}
const std::string kRubber = fmt::format("{{type: membrane_neo_hookean, E: {}}}", kYoung);
const std::string kContracting = ", lateral_contraction: true";
constexpr double kTight = 1e-8;

// S = E (s^2 - 1)/2 along, no stress across: (s_2^2 - 1)/2 = -nu (s^2 - 1)/2.
TEST_F(Membrane, OfStVenantAndKirchhoffInUniaxialAndBiaxialTension) {
  const Stretch one = pull(law("membrane_stvk"), 0.3 * kYoung, 0);
  EXPECT_GT(one.along, 1.15);
  EXPECT_NEAR(one.along * (one.along * one.along - 1) / 2, 0.3, kTight);
  EXPECT_NEAR(one.across * one.across, 1 - kNu * (one.along * one.along - 1), kTight);
  const Stretch two = pull(law("membrane_stvk"), 0.3 * kYoung, 0.3 * kYoung);
  EXPECT_NEAR(two.along, two.across, kTight);
  EXPECT_NEAR(two.along * (two.along * two.along - 1) / 2 / (1 - kNu), 0.3, kTight);
  const Stretch both = pull(law("membrane_stvk"), 0.3 * kYoung, 0.1 * kYoung);
  const double e = (both.along * both.along - 1) / 2, f = (both.across * both.across - 1) / 2;
  EXPECT_NEAR(both.along * (e + kNu * f) / (1 - kNu * kNu), 0.3, kTight);
  EXPECT_NEAR(both.across * (f + kNu * e) / (1 - kNu * kNu), 0.1, kTight);
}

// Hooke's law in the stretches; without its term of lateral contraction each direction is on its own.
TEST_F(Membrane, OfNearestIsometriesInUniaxialAndBiaxialTension) {
  const Stretch one = pull(law("membrane_corotated", kContracting), 0.3 * kYoung, 0);
  EXPECT_NEAR(one.along, 1.3, kTight);
  EXPECT_NEAR(one.across, 1 - kNu * 0.3, kTight);
  const Stretch two = pull(law("membrane_corotated", kContracting), 0.3 * kYoung, 0.1 * kYoung);
  EXPECT_NEAR(two.along, 1 + 0.3 - kNu * 0.1, kTight);
  EXPECT_NEAR(two.across, 1 + 0.1 - kNu * 0.3, kTight);
  const Stretch plain = pull(law("membrane_corotated"), 0.3 * kYoung, 0.1 * kYoung);
  EXPECT_NEAR(plain.along, 1 + 0.3 * (1 + kNu), kTight);
  EXPECT_NEAR(plain.across, 1 + 0.1 * (1 + kNu), kTight);
}

// Treloar's: P = G (s - 1/s^2) in uniaxial, G (s - 1/s^5) in biaxial tension, G = E/3.
TEST_F(Membrane, OfRubberInUniaxialAndBiaxialTension) {
  const double pulls = 0.5;  // E
  const Stretch one = pull(kRubber, pulls * kYoung, 0);
  EXPECT_GT(one.along, 1.5);
  EXPECT_NEAR((one.along - 1 / (one.along * one.along)) / 3, pulls, kTight);
  EXPECT_NEAR(one.across, 1 / std::sqrt(one.along), kTight);
  const Stretch two = pull(kRubber, pulls * kYoung, pulls * kYoung);
  EXPECT_NEAR((two.along - std::pow(two.along, -5)) / 3, pulls, kTight);
  EXPECT_NEAR(two.across, two.along, kTight);
}

// In the direction of fibres their stress (s - 1) k is added.
TEST_F(Membrane, IsStiffenedByFibresInIt) {
  const std::string fibres = ", {type: fibre, stiffness: 5e5, direction: [2, 0, 0]}";
  const Stretch s = pull(law("membrane_corotated") + fibres, 0.3 * kYoung, 0.1 * kYoung);
  EXPECT_NEAR(s.along, 1 + 0.3 / (1 / (1 + kNu) + 0.5), kTight);
  EXPECT_NEAR(s.across, 1 + 0.1 * (1 + kNu), kTight);
}

// Each set of threads is a spring on its own; the vector that gives their direction need not lie in the
// sheet.
TEST_F(Membrane, OfWovenClothPullsWarpAndWeftAlone) {
  const Stretch s =
      pull("{type: membrane_woven, warp: 1e6, weft: 2e5, shear: 5e4, direction: [2, 0, 1]}", 3e5, 1e5);
  EXPECT_NEAR(s.along, 1.3, kTight);
  EXPECT_NEAR(s.across, 1.5, kTight);
  const Stretch turned =
      pull("{type: membrane_woven, warp: 1e6, weft: 2e5, shear: 5e4, direction: [0, 1, 0]}", 1e5, 3e5);
  EXPECT_NEAR(turned.along, 1.5, kTight);
  EXPECT_NEAR(turned.across, 1.3, kTight);
}

// Sheared by g, F d . F e = g, the warp keeps its length and the weft has hypot(1, g).
TEST(Woven, ClothResistsTheLossOfItsRightAngles) {
  Point p("membrane_woven", {{"warp", 10}, {"weft", 20}, {"shear", 3}});
  Mat3 f = Vec3(1, 1, 0).asDiagonal();
  f(0, 1) = 0.4;
  const double weft = std::hypot(1, 0.4) - 1;
  EXPECT_NEAR(p.energy(f), 10 * weft * weft + 1.5 * 0.16, 1e-14);
  try {
    make_simulation(
        "{bodies: {s: {mesh: {generator: {type: grid}}, materials: [{type: membrane_woven, direction: [0, 0, "
        "2]}]}}}");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("is normal to element 0"), std::string::npos) << e.what();
  }
}

TEST_F(Membrane, WeighsDensityTimesThicknessTimesArea) {
  const std::string yaml = fmt::format(
      "{{bodies: {{sheet: {{mesh: {{generator: {{type: grid, size: [0.4, 0.2], cells: [3, 2]}}}}, density: "
      "{{regions: {{left: 900}}, default: 300}}, regions: {{left: {{box: {{min: [0, 0, 0], max: [0.1333, "
      "0.2, "
      "0]}}}}}}, thickness: 0.003, materials: [membrane_stvk]}}}}, forces: {{push: {{type: body_force, per: "
      "volume, fx: '7'}}}}}}");
  const auto sim = simulation(yaml);
  const System& s = sim->system();
  EXPECT_NEAR(s.mass().sum(), 0.003 * 0.4 * 0.2 * (900 / 3.0 + 300 * 2 / 3.0), 1e-15);
  VecX force = VecX::Zero(s.num_dofs());
  const State state = s.initial_state();
  s.forces()[0]->add_force({}, state.x, state.v, force);
  EXPECT_NEAR(as_columns(force).row(0).sum(), 7 * 0.003 * 0.4 * 0.2, 1e-15);
  // Per area, as tables of cloth have it: the default thickness.
  const auto cloth = simulation(yaml, {"bodies.sheet.thickness=1", "bodies.sheet.density=0.2"});
  EXPECT_NEAR(cloth->system().mass().sum(), 0.2 * 0.4 * 0.2, 1e-15);
  const auto uniform = simulation(yaml, {"bodies.sheet.mass=uniform", "bodies.sheet.density=500"});
  EXPECT_NEAR(uniform->system().mass()[0], 500 * 0.003 * 0.4 * 0.2 / 12, 1e-15);
}

/// Triangles of a sphere of radius 1: the boundary of a ball.
Mesh sphere(Index cells) {
  const Mesh ball = make_sphere(1, cells, ElementType::Tet4);
  const SurfaceFaces faces = extract_surface(ball);
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  std::vector<int> number(static_cast<std::size_t>(ball.num_vertices()), -1);
  std::vector<Index> used;
  mesh.elements = faces.faces;
  for (int& node : mesh.elements.reshaped()) {
    int& n = number[static_cast<std::size_t>(node)];
    if (n < 0) {
      n = static_cast<int>(used.size());
      used.push_back(node);
    }
    node = n;
  }
  mesh.vertices = ball.vertices(Eigen::all, used);
  return mesh;
}

/// 6 times the volume that a closed surface encloses.
double six_volumes(const Mesh& mesh, const Mat3X& x) {
  double sum = 0;
  for (const auto& t : mesh.elements.colwise()) sum += x.col(t[0]).dot(x.col(t[1]).cross(x.col(t[2])));
  return sum;
}

// p = 2 G t/R (1/s - 1/s^7) for a balloon of rubber of rest radius R that is blown up s-fold, G = E/3. s is
// that of the volume; facets leave an error of second order in their size. The pressure is that of the shape
// that a step starts from: steps are repeated until nothing moves.
TEST_F(Membrane, BlownUpToABalloonFollowsTreloarsCurve) {
  const double s = 1.1, pressure = 2 * kYoung / 3 * kThickness * (1 / s - std::pow(s, -7));
  const auto error = [&](Index cells) {
    const Mesh mesh = sphere(cells);
    write_mesh(files_.file("sphere.vtu"), mesh);
    files_.write("start.csv", csv_text(s * mesh.vertices));
    const auto sim = simulation(fmt::format(R"(
time: {{step: 1, steps: 60}}
gravity: [0, 0, 0]
bodies:
  balloon:
    mesh: {{file: sphere.vtu}}
    thickness: {}
    materials: [{}]
    initial: {{positions: start.csv}}
    pins:
      - {{nodes: {{sphere: {{center: [-1, 0, 0], radius: 1e-9}}}}}}
      - {{nodes: {{sphere: {{center: [1, 0, 0], radius: 1e-9}}}}, axes: [y, z]}}
      - {{nodes: {{sphere: {{center: [0, 1, 0], radius: 1e-9}}}}, axes: [z]}}
forces: {{inside: {{type: pressure, pressure: {}}}}}
integrator: quasi_static
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-9, max_iterations: 200}}
)",
                                            kThickness, kRubber, -pressure));
    Tape tape;
    sim->run(tape, true);
    const VecX &last = tape.states.back().x, &before = tape.states[tape.states.size() - 2].x;
    EXPECT_LT((last - before).cwiseAbs().maxCoeff(), 1e-6) << "still moving";
    return std::cbrt(six_volumes(mesh, as_columns(last)) / six_volumes(mesh, mesh.vertices)) - s;
  };
  const double coarse = error(4), fine = error(8);
  EXPECT_LT(std::abs(fine), 0.01);
  EXPECT_NEAR(coarse / fine, 4, 1);
}

}  // namespace
}  // namespace resilin::test

// Bending of surfaces in closed form: cylinders, a heavy strip, shells turned inside out; and mistakes.
#include "tests/physics/statics.hpp"
#include "tests/support/energies.hpp"
#include "tests/support/gradcheck.hpp"

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

const std::vector<std::string> kTypes{"quadratic_bending", "curvature_bending", "hinge_bending"};

double energy_of(const Energy& e, const Mat3X& x) {
  Workspace ws;
  return e.value({}, x.reshaped(), ws);
}
VecX gradient_of(const Energy& e, const Mat3X& x) {
  Workspace ws;
  VecX g = VecX::Zero(x.size());
  e.add_gradient({}, x.reshaped(), g, ws);
  return g;
}

/// A flat sheet of n x m cells, right-angled triangles of legs a and b.
Mesh sheet(int n, int m, double a, double b) {
  ComponentSpec spec;
  spec.type = "grid";
  const auto sim = make_simulation(
      fmt::format("{{bodies: {{s: {{mesh: {{generator: {{type: grid, size: [{:.17g}, {:.17g}], cells: [{}, "
                  "{}]}}}}, materials: [membrane_arap]}}}}}}",
                  n * a, m * b, n, m));
  return sim->system().bodies()[0]->mesh;
}

/// A flat patch of equilateral triangles of edge a: n edges in a row, every other row shifted by half of one.
Mesh equilateral(int n, int rows, double a) {
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, (rows + 1) * (n + 1));
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.vertices.col(j * (n + 1) + i) << a * (i + 0.5 * (j % 2)), a * std::sqrt(0.75) * j, 0;
  std::vector<int> corners;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < n; ++i) {
      const int p = j * (n + 1) + i, q = p + n + 1;
      if (j % 2 == 0)
        corners.insert(corners.end(), {p, p + 1, q, p + 1, q + 1, q});
      else
        corners.insert(corners.end(), {p, p + 1, q + 1, p, q + 1, q});
    }
  mesh.elements = Eigen::Map<Mesh::Elements>(corners.data(), 3, static_cast<Index>(corners.size()) / 3);
  return mesh;
}

/// x wound without stretching onto a cylinder of radius R, whose axis has the angle `turn` from y.
Mat3X wound(const Mat3X& x, double radius, double turn) {
  Mat3X r(3, x.cols());
  const Vec3 along(std::cos(turn), std::sin(turn), 0), axis(-std::sin(turn), std::cos(turn), 0);
  for (Index i = 0; i < x.cols(); ++i) {
    const double s = along.dot(x.col(i)) / radius;
    r.col(i) = radius * (std::sin(s) * along + (1 - std::cos(s)) * Vec3::UnitZ()) + axis.dot(x.col(i)) * axis;
  }
  return r;
}

// (n - 1) m hinges of length b between triangles of area a b/2 that turn by theta: with angles k/2 3 b/a
// theta^2 each, with sums the same of 2 sin(theta/2).
TEST(Bending, OfASheetFoldedAlongItsRowsHasTheEnergyOfItsAngles) {
  const int n = 7, m = 4;
  const double a = 0.1, b = 0.15, k = 2e-3, theta = 0.6;
  const SampleBody body(sheet(n, m, a, b));
  Mat3X x = body.mesh.vertices;
  for (Index i = 0; i < x.cols(); ++i) {
    const int column = static_cast<int>(std::lround(x(0, i) / a));
    Vec3 at(0, x(1, i), 0);
    for (int c = 0; c < column; ++c) at += a * Vec3(std::cos(c * theta), 0, std::sin(c * theta));
    x.col(i) = at;
  }
  for (const std::string& type : kTypes) {
    const auto e = make_component<Energy>(type, body.context(), {{"stiffness", k}});
    const double bend = type == "hinge_bending" ? theta : 2 * std::sin(theta / 2);
    EXPECT_NEAR(energy_of(*e, x), (n - 1) * m * 1.5 * k * b / a * bend * bend, 1e-15) << type;
  }
}

// 3/2 k per area and R^2 on equilateral triangles, whatever the axis; the rim, where there are no hinges,
// makes the error one of first order in the edge.
TEST(Bending, OfEquilateralTrianglesToACylinderIsTheSameAboutAnyAxis) {
  const double k = 2e-3, radius = 0.7;
  for (const std::string& type : kTypes)
    for (const double turn : {0.0, 0.3, 1.0}) {
      const auto error = [&](int n) {
        const SampleBody body(equilateral(n, n, 1.0 / n));
        const auto e = make_component<Energy>(type, body.context(), {{"stiffness", k}});
        const double area = element_measures(body.mesh).sum();
        return energy_of(*e, wound(body.mesh.vertices, radius, turn)) * radius * radius / (area * k) - 1.5;
      };
      const double coarse = error(20), fine = error(40);
      EXPECT_LT(std::abs(fine), 0.03) << type;
      EXPECT_NEAR(coarse / fine, 2, 0.1) << type;
    }
}

// The sums vanish for every flat placement, also a stretched one.
TEST(Bending, OfFlatSheetsThatAreMovedOrSlantedCostsNothing) {
  const SampleBody body(sheet(4, 3, 0.1, 0.15));
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  Mat3 stretch = Mat3::Identity();
  stretch(0, 0) = 1.4;
  stretch(0, 1) = 0.2;
  const Mat3X x = (turn * stretch * body.mesh.vertices).colwise() + Vec3(1, 2, 3);
  for (const std::string& type : kTypes) {
    const auto e = make_component<Energy>(type, body.context(), {{"stiffness", 1.0}});
    EXPECT_NEAR(energy_of(*e, x), 0, 1e-26) << type;
    EXPECT_LT(gradient_of(*e, x).cwiseAbs().maxCoeff(), 1e-11) << type;
  }
}

TEST(Bending, OfACurvedRestShapeIsNoneWhereItIsMovedAndForcesHaveNeitherSumNorMoment) {
  Mesh mesh = sheet(5, 4, 0.1, 0.15);
  mesh.vertices = wound(mesh.vertices, 0.3, 0.4);
  const SampleBody body(mesh);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  for (const std::string& type : kTypes) {
    const auto e = make_component<Energy>(type, body.context(), {{"stiffness", 1.0}});
    if (type != "quadratic_bending") {
      EXPECT_LT(gradient_of(*e, turn * mesh.vertices).cwiseAbs().maxCoeff(), 1e-11) << type;
    }
    const VecX bent = deformed(mesh), g = gradient_of(*e, as_columns(bent));
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (Index i = 0; i < g.size(); i += 3) {
      force += g.segment<3>(i);
      moment += Vec3(bent.segment<3>(i)).cross(Vec3(g.segment<3>(i)));
    }
    EXPECT_LT(force.norm(), 1e-12 * g.norm()) << type;
    EXPECT_LT(moment.norm(), 1e-12 * g.norm()) << type;
  }
}

// The mirrored shell has all its angles opposite: 2 theta_0 away by angles, at rest by lengths of sums.
TEST(Bending, OfAShellTurnedInsideOutIsSeenByAnglesAlone) {
  Mesh mesh = sheet(2, 1, 0.1, 0.15);
  mesh.vertices(2, 0) = mesh.vertices(2, 1) = mesh.vertices(2, 4) = mesh.vertices(2, 5) = 0.03;
  const SampleBody body(mesh);
  Mat3X mirrored = mesh.vertices;
  mirrored.row(2) *= -1;
  const auto sums = make_component<Energy>("curvature_bending", body.context(), {{"stiffness", 1.0}});
  const auto angles = make_component<Energy>("hinge_bending", body.context(), {{"stiffness", 1.0}});
  EXPECT_NEAR(energy_of(*sums, mirrored), 0, 1e-26);
  const double theta = 2 * std::atan(0.3), wing = std::hypot(0.1, 0.03);
  EXPECT_NEAR(energy_of(*angles, mirrored), 0.5 * 3 * 0.15 / wing * std::pow(2 * theta, 2), 1e-12);
  // Half of the rest angle: the shell is a quarter of the energy away from there.
  const auto half =
      make_component<Energy>("hinge_bending", body.context(), {{"stiffness", 1.0}, {"rest_angle", 0.5}});
  EXPECT_NEAR(energy_of(*half, mesh.vertices), 0.5 * 3 * 0.15 / wing * std::pow(theta / 2, 2), 1e-12);
}

TEST(Bending, ByAnglesHasExactDerivativesNearFlatAndNearlyFolded) {
  const SampleBody body(sheet(1, 1, 0.1, 0.15));
  const auto e = make_component<Energy>("hinge_bending", body.context(), {{"stiffness", 1.0}});
  // Vertex 1 is no end of the diagonal 0-3: it is turned about it.
  const Vec3 p = body.mesh.vertices.col(0), axis = (body.mesh.vertices.col(3) - p).normalized();
  for (const double angle : {0.0, 1e-8, 1.0, 3.0, -3.1}) {
    Mat3X x = body.mesh.vertices;
    x.col(1) = p + Eigen::AngleAxisd(angle, axis) * (x.col(1) - p);
    const VecX at = x.reshaped(), g = gradient_of(*e, x);
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const VecX d = random_vector(12, seed).normalized();
      BlockPattern pattern(4);
      e->add_pattern(pattern);
      BlockMatrix h;
      h.reset(std::move(pattern));
      Workspace ws;
      e->add_hessian({}, at, h, false, ws);
      VecX hd(12);
      h.multiply(d, hd, std::vector<char>(12, 0));
      const auto value = [&](double s) { return energy_of(*e, as_columns(VecX(at + s * d))); };
      const auto slope = [&](double s) -> VecX { return gradient_of(*e, as_columns(VecX(at + s * d))); };
      EXPECT_LT(difference_gap(value, g.dot(d), 1e-3, 1e-3), 1e-7) << angle;
      EXPECT_LT(difference_gap(slope, hd, 1e-3), 1e-7) << angle;
    }
  }
}

/// The tip of a clamped heavy strip of length 1: theta'' = gamma (1 - s) cos theta, theta(0) = 0, theta'(1) =
/// 0, gamma = w L^3/D, theta downwards from the horizontal; found by shooting from the free end.
Vec3 heavy_tip(double gamma) {
  const auto shoot = [&](double end, Vec3& tip) {
    const int steps = 20000;
    const double h = -1.0 / steps;
    Eigen::Vector4d y(end, 0, 0, 0);  // theta, theta', and the way back to the clamp
    const auto f = [&](double s, const Eigen::Vector4d& u) {
      return Eigen::Vector4d(u[1], -gamma * (1 - s) * std::cos(u[0]), std::cos(u[0]), -std::sin(u[0]));
    };
    for (int i = 0; i < steps; ++i) {
      const double s = 1 + i * h;
      const Eigen::Vector4d a = f(s, y), b = f(s + h / 2, y + h / 2 * a), c = f(s + h / 2, y + h / 2 * b),
                            d = f(s + h, y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    tip = Vec3(-y[2], 0, -y[3]);
    return y[0];
  };
  double low = 0, high = M_PI / 2;
  Vec3 tip;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (shoot(middle, tip) > 0 ? high : low) = middle;
  }
  return tip;
}

std::string obj_text(const Mesh& mesh) {
  std::string text;
  for (const auto& v : mesh.vertices.colwise())
    text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", v[0], v[1], v[2]);
  for (const auto& t : mesh.elements.colwise())
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

/// Middle of the tip of a strip of equilateral triangles, n edges long, that is clamped at one end.
Vec3 draped_tip(const std::string& type, double gamma, int n) {
  const double edge = 1.0 / n, density = 0.2, d = density * 9.81 / gamma;
  const int rows = n / 2;
  Mesh mesh = equilateral(n + 1, rows, edge);
  mesh.vertices.row(0).array() -= edge;
  const TestFolder folder;
  const auto sim =
      make_simulation(fmt::format(R"(
time: {{step: 1, steps: 1}}
bodies:
  strip:
    mesh: {{file: "{}"}}
    density: {}
    materials: [{{type: membrane_arap, stiffness: 1e4}}]
    pins: [{{nodes: {{plane: {{point: [0, 0, 0], normal: [-1, 0, 0]}}}}}}]
energies: {{bending: {{type: {}, stiffness: {:.17g}}}}}
forward: {{type: newton, relative_tolerance: 0, absolute_tolerance: 1e-7, max_iterations: 1000}}
)",
                                  folder.write("strip.obj", obj_text(mesh)), density, type, d / 3));
  const VecX x = settle(*sim, 2, 40);
  const Index middle = (rows / 4) * 2;  // a row that is not shifted
  return x.segment<3>(3 * (middle * (n + 2) + n + 1));
}

class Drape : public ::testing::TestWithParam<std::string> {};

// A strip that hardly stretches bends to cylinders, D = 3 k. Where it ends and is clamped, and the hinges
// that its sides lack, are known to an edge: that error is of first order, and extrapolated away. What
// remains is the curvature across, which softens the strip: k_s = 1e4 N/m leaves some of it, and more would
// lock the triangles.
TEST_P(Drape, OfAHeavyStripConvergesToTheElastica) {
  EXPECT_NEAR(heavy_tip(1e-3).z(), -1e-3 / 8, 1e-8) << "w L^4/(8 D) where it hardly bends";
  for (const double gamma : {3.0, 30.0}) {
    const Vec3 expected = heavy_tip(gamma);
    Vec3 coarse = draped_tip(GetParam(), gamma, 16), fine = draped_tip(GetParam(), gamma, 32);
    coarse.y() = fine.y() = 0;
    EXPECT_LT((fine - expected).norm(), 0.04) << gamma;
    EXPECT_GT((coarse - expected).norm(), 1.5 * (fine - expected).norm()) << gamma;
    EXPECT_LT((2 * fine - coarse - expected).norm(), 0.015) << gamma;
  }
}

INSTANTIATE_TEST_SUITE_P(Bending, Drape, ::testing::ValuesIn(kTypes), [](const auto& p) { return p.param; });

TEST(Bending, GradientsAgreeWithDifferences) {
  for (const std::string& type : kTypes) {
    std::string stiffness;
    for (int i = 0; i < 24; ++i) stiffness += fmt::format("{}{}", i ? ", " : "", 0.01 + 0.001 * i);
    const std::string rest = type == "curvature_bending" ? ", rest_curvature: 0.8"
                             : type == "hinge_bending"   ? ", rest_angle: 0.8"
                                                         : "";
    const TestFolder folder;
    Mesh mesh = sheet(4, 3, 0.1, 0.1);
    mesh.vertices = wound(mesh.vertices, 0.3, 0.5);
    const auto task =
        make_task(fmt::format(R"(
time: {{step: 0.01, steps: 5}}
bodies:
  shell:
    mesh: {{file: "{}"}}
    density: 0.2
    materials: [{{type: membrane_arap, stiffness: 100}}]
    pins: [{{nodes: {{indices: [0, 1]}}}}]
energies: {{bending: {{type: {}, stiffness: [{}]{}}}}}
forward: {{type: newton, relative_tolerance: 1e-12, absolute_tolerance: 0}}
backward: {{type: direct, relative_tolerance: 1e-12}}
losses: [{{loss: {{type: linear_functional, positions: [1, -0.5, 2]}}}}]
)",
                              folder.write("shell.obj", obj_text(mesh)), type, stiffness, rest));
    std::vector<std::string> paths{"energies.bending.stiffness", "bodies.shell.density",
                                   "bodies.shell.initial.velocity"};
    if (!rest.empty()) paths.push_back("energies.bending." + rest.substr(2, rest.find(':') - 2));
    expect_gradients(*task, paths);
  }
}

std::string mistake(const std::string& energy,
                    const std::string& mesh = "{generator: {type: grid, cells: [2, 2]}}") {
  try {
    make_simulation("{bodies: {s: {mesh: " + mesh + ", materials: [" +
                    (mesh.find("box") == std::string::npos ? "membrane_arap" : "corotated") +
                    "]}}, energies: {b: " + energy + "}}");
  } catch (const Error& e) {
    return e.what();
  }
  return "no mistake";
}

TEST(Bending, NamesMistakes) {
  using ::testing::HasSubstr;
  EXPECT_THAT(mistake("{type: hinge_bending}", "{generator: {type: box}}"),
              HasSubstr("only surfaces (tri3) bend"));
  EXPECT_THAT(mistake("{type: quadratic_bending, stiffness: [1, 2]}"),
              HasSubstr("one or 8 (a triangle each)"));
  EXPECT_THAT(mistake("{type: quadratic_bending, elements: {indices: [0]}}"),
              HasSubstr("no two of the selected triangles"));
  EXPECT_THAT(mistake("{type: hinge_bending, rest_angle: [1, 2]}"), HasSubstr("one or 8 (one per edge"));
  const TestFolder folder;
  const std::string file =
      folder.write("fan.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n");
  EXPECT_THAT(mistake("{type: curvature_bending}", "{file: \"" + file + "\"}"),
              HasSubstr("3 triangles of body s share the edge between vertices 0 and 1"));
}

}  // namespace
}  // namespace resilin::test

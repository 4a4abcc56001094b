// Bodies of triangles and of segments: which materials they take, thickness, files, selections, pressure.
#include "tests/support/components.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>

namespace resilin::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& yaml) {
  try {
    (void)make_simulation(yaml);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::Input) << e.what();
    return e.what();
  }
  return "no error";
}

std::string body(const std::string& mesh, const std::string& rest) {
  return "{bodies: {cloth: {mesh: {" + mesh + "}, " + rest + "}}}";
}
std::string sheet(const std::string& rest) {
  return body("generator: {type: grid, size: [0.4, 0.2], cells: [2, 2]}", rest);
}
std::string chain(const std::string& rest) {
  return body("generator: {type: polyline, cells: 4}", rest);
}
std::string box(const std::string& rest) {
  return body("generator: {type: box}", rest);
}

TEST(ThinBodyMistakes, AMaterialOfOtherElementsIsNamedWithThoseThatFit) {
  EXPECT_THAT(
      error_of(sheet("materials: [membrane_stvk, neo_hookean]")),
      AllOf(HasSubstr("bodies.cloth.materials[1]"),
            HasSubstr(
                "material 'neo_hookean' acts on volumes (tet4, hex8), but body 'cloth' has tri3 "
                "elements; materials for these: exponential_fibre, fibre, membrane_arap, membrane_corotated, "
                "membrane_neo_hookean, membrane_stvk"),
            Not(HasSubstr("materials[0]"))));
  EXPECT_THAT(error_of(chain("materials: [corotated]")), HasSubstr("materials for these: strand"));
  EXPECT_THAT(error_of(box("materials: [membrane_stvk]")),
              AllOf(HasSubstr("material 'membrane_stvk' acts on surfaces (tri3), but body 'cloth' has hex8 "
                              "elements; materials for these: corotated, "),
                    Not(HasSubstr("strand")), Not(HasSubstr("voxel_size"))));
  EXPECT_THAT(error_of(box("materials: [strand]")), HasSubstr("acts on curves (segment2)"));
  EXPECT_THAT(error_of(chain("materials: [fibre]")),
              HasSubstr("acts on volumes (tet4, hex8) and surfaces (tri3)"));
}

TEST(ThinBodyMistakes, AThicknessIsForSurfacesAndACrossSectionForCurves) {
  const std::string a = "bodies.cloth.thickness: is for surfaces (tri3); the mesh of body 'cloth' has ";
  EXPECT_THAT(error_of(box("thickness: 0.1, materials: [corotated]")), HasSubstr(a + "hex8"));
  EXPECT_EQ(error_of(box("thickness: 1, materials: [corotated]")), "no error");  // as in a resolved scene
  EXPECT_THAT(error_of(chain("thickness: 0.1, materials: [strand]")), HasSubstr(a + "segment2"));
  EXPECT_THAT(
      error_of(sheet("cross_section: 0.1, materials: [membrane_stvk]")),
      HasSubstr("bodies.cloth.cross_section: is for curves (segment2); the mesh of body 'cloth' has tri3"));
  EXPECT_THAT(error_of(sheet("thickness: 0, materials: [membrane_stvk]")),
              HasSubstr("bodies.cloth.thickness"));
}

TEST(ThinBodyMistakes, FibresHaveToLieInTheSurface) {
  EXPECT_THAT(error_of(sheet("materials: [{type: fibre, direction: [1, 0, 0.01]}]")),
              HasSubstr("materials[0].direction: (1, 0, 0.01) is no tangent of element 0"));
  EXPECT_EQ(error_of(sheet("materials: [{type: fibre, direction: [1, 3, 0]}]")), "no error");
  // Only where they act.
  const std::string house =
      body("file: '" + surface_file() + "'", "materials: [membrane_stvk, {type: fibre%}]");
  const auto with = [&](const std::string& more) {
    return std::string(house).replace(house.find('%'), 1, more);
  };
  EXPECT_THAT(error_of(with("")), HasSubstr("is no tangent of element"));
  EXPECT_EQ(error_of(with(", elements: {box: {min: [0, 0, 1], max: [1, 1, 1]}}")), "no error");
}

TEST(ThinBodyMistakes, TrianglesWithoutAreaAreRefused) {
  const TestFolder folder;
  const std::string file = folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n");
  EXPECT_THAT(error_of(body("file: '" + file + "'", "materials: [membrane_stvk]")),
              HasSubstr("1 of 2 elements have no volume, area or length, the first is element 1"));
  EXPECT_THAT(
      error_of(sheet("materials: [membrane_stvk], rest_shape: {displacements: [[0, 0, 0], [0, 0, 0], [0, "
                     "0, 0], [-0.2, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]}")),
      HasSubstr("bodies.cloth.rest_shape.displacements: element"));
}

// The stiffest wave in plane stress has E/(1 - nu^2), with nu = 1/2 for rubber.
TEST(ThinBody, HasTheStiffnessOfItsWavesInProjectiveDynamics) {
  const double params[] = {1e5, 0.3};
  const auto expect = [&](const char* type, double stiffness) {
    const Mat3 q = make_component<Material>(type, {})->quadratic_form(params);
    EXPECT_LT((q - stiffness * Mat3::Identity()).norm(), 1e-8 * stiffness) << type << "\n" << q;
  };
  expect("membrane_stvk", 1e5 / (1 - 0.09));
  expect("membrane_neo_hookean", 1e5 / (1 - 0.25));
  expect("membrane_corotated", 1e5 / 1.3);
  expect("strand", 1e5);
}

TEST(ThinBody, IsReadFromFiles) {
  const TestFolder folder;
  const std::string line = folder.write("line.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2 3\n");
  const auto curve = make_simulation(body("file: '" + line + "'", "density: 3, materials: [strand]"));
  EXPECT_EQ(curve->system().bodies()[0]->mesh.type, ElementType::Segment2);
  EXPECT_NEAR(curve->system().mass().sum(), 3 * 2, 1e-15);
  const auto shell = make_simulation(
      body("file: '" + surface_file() + "'", "density: 100, thickness: 0.01, materials: [membrane_stvk]"));
  EXPECT_EQ(shell->system().bodies()[0]->mesh.type, ElementType::Tri3);
  EXPECT_NEAR(shell->system().mass().sum(), 100 * 0.01 * 6, 1e-14);
}

TEST(ThinBody, HasAnOptionalSelectionOfItsBoundary) {
  const auto fixed = [](const std::string& yaml) {
    const auto sim = make_simulation(yaml);
    std::vector<Index> nodes;
    for (std::size_t i = 0; i < sim->system().fixed().size(); i += 3)
      if (sim->system().fixed()[i]) nodes.push_back(static_cast<Index>(i) / 3);
    return nodes;
  };
  const std::string pin = ", pins: [{nodes: {boundary: true}}]";
  EXPECT_EQ(fixed(sheet("materials: [membrane_stvk]" + pin)), (std::vector<Index>{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(fixed(chain("materials: [strand]" + pin)), (std::vector<Index>{0, 4}));
  EXPECT_THAT(error_of(chain("materials: [strand], pins: [{nodes: {surface: true}}]")),
              HasSubstr("a segment2 mesh has no surface"));
  const std::string ring =
      "generator: {type: polyline, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], cells: 2, closed: true}";
  EXPECT_THAT(error_of(body(ring, "materials: [strand]" + pin)), HasSubstr("matches no vertex"));
  const auto closed = make_simulation(body(ring, "density: 1, materials: [strand]"));
  EXPECT_NEAR(closed->system().mass().sum(), 2 + std::sqrt(2.0), 1e-15);
}

TEST(ThinBody, OfOnePieceIsPushedByPressureToOneSide) {
  const std::string press = ", forces: {press: {type: pressure, pressure: 5}}}";
  const std::string flat = sheet("materials: [membrane_stvk]");
  const auto sim = make_simulation(flat.substr(0, flat.size() - 1) + press);
  const State s = sim->system().initial_state();
  VecX force = VecX::Zero(s.x.size());
  sim->system().forces()[0]->add_force({}, s.x, s.v, force);
  EXPECT_LT((as_columns(force).rowwise().sum() - Vec3(0, 0, -5 * 0.4 * 0.2)).norm(), 1e-15);
  // Where triangles do not agree on the side, a pressure means nothing.
  const TestFolder folder;
  const std::string file =
      folder.write("turned.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 4 3\n");
  const std::string turned = body("file: '" + file + "'", "materials: [membrane_stvk]");
  EXPECT_EQ(error_of(turned), "no error");
  EXPECT_THAT(error_of(turned.substr(0, turned.size() - 1) + press),
              HasSubstr("triangles 0 and 1 of body cloth have opposite sides outside"));
  const std::string curve = chain("materials: [strand]");
  EXPECT_THAT(error_of(curve.substr(0, curve.size() - 1) + press), HasSubstr("has no surface"));
}

}  // namespace
}  // namespace resilin::test

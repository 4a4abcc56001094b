// The generators of plugins/meshes. A plugin is loaded at run time and cannot be linked to, so the sources
// are compiled into this file.
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "plugins/meshes/box.cpp"
#include "plugins/meshes/cylinder.cpp"
#include "plugins/meshes/plant.cpp"
#include "plugins/meshes/quadruped.cpp"
#include "plugins/meshes/shape_union.cpp"
#include "plugins/meshes/sheet.cpp"
#include "plugins/meshes/sphere.cpp"
#include "plugins/meshes/surface_voxels.cpp"
#include "plugins/meshes/torus.cpp"
#include "plugins/meshes/tube.cpp"
#include "plugins/meshes/voxel_sphere.cpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace resilin::meshes {
namespace {

using testing::expect_input_error;

/// Registers the types as the plugin does, reads the options and makes the mesh.
Mesh generate(const std::string& type, const std::string& yaml) {
  Registry registry;
  registry.add<MeshGenerator, Box>("box", "a");
  registry.add<MeshGenerator, Sphere>("sphere", "a");
  registry.add<MeshGenerator, Cylinder>("cylinder", "a");
  registry.add<MeshGenerator, VoxelSphere>("voxel_sphere", "a");
  registry.add<MeshGenerator, SurfaceVoxels>("voxels", "a");
  registry.add<MeshGenerator, Plant>("plant", "a");
  registry.add<MeshGenerator, Torus>("torus", "a");
  registry.add<MeshGenerator, Tube>("tube", "a");
  registry.add<MeshGenerator, Sheet>("grid", "a");
  registry.add<MeshGenerator, ShapeUnion>("sdf_union", "a");
  registry.add<MeshGenerator, Quadruped>("quadruped", "a");
  ComponentSpec spec;
  spec.type = type;
  spec.options = registry.make_options("mesh_generator", type);
  Diagnostics diagnostics;
  PlaceMap places;
  read_options(
      parse_tree(yaml, "test.yaml"), [&](ParamVisitor& v) { spec.options->visit(v); }, registry, diagnostics,
      places);
  diagnostics.throw_if_any();
  return registry.make<MeshGenerator>(spec, {})->generate();
}

TEST(PluginMeshes, Box) {
  const Mesh mesh = generate("box", "{size: [1, 2, 3], cells: [1, 2, 3], origin: [4, 5, 6], element: tet4}");
  EXPECT_EQ(mesh.type, ElementType::Tet4);
  EXPECT_EQ(mesh.num_elements(), 36);
  EXPECT_EQ(mesh.vertices.col(0), Vec3(4, 5, 6));
  EXPECT_NEAR(element_measures(mesh).sum(), 6, 1e-12);
  EXPECT_EQ(generate("box", "{}").num_elements(), 64);
  EXPECT_THROW(generate("box", "{cells: [1, 2]}"), Error);
  EXPECT_THROW(generate("box", "{cells: [1, 2, 0]}"), Error);
  EXPECT_THROW(generate("box", "{size: [1, 0, 1]}"), Error);
  EXPECT_THROW(generate("box", "{element: quad}"), Error);
}

TEST(PluginMeshes, SphereAndCylinder) {
  EXPECT_EQ(generate("sphere", "{radius: 2, cells: 4}").num_elements(), 64);
  EXPECT_THROW(generate("sphere", "{radius: 0}"), Error);
  const Mesh mesh = generate("cylinder", "{radius: 0.5, height: 2, cells_across: 3, cells_along: 7}");
  EXPECT_EQ(mesh.num_elements(), 63);
  EXPECT_EQ(mesh.vertices.row(2).maxCoeff(), 2.0);
  EXPECT_THROW(generate("cylinder", "{cells_along: 0}"), Error);
}

TEST(PluginMeshes, VoxelSphereKeepsCellsWithCentreWithinTheRadius) {
  const Mesh mesh = generate("voxel_sphere", "{radius: 0.5, cell: 0.1}");
  Index expected = 0;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) expected += Vec3(i - 4.5, j - 4.5, k - 4.5).norm() <= 5 ? 1 : 0;
  EXPECT_EQ(mesh.num_elements(), expected);
  EXPECT_NEAR(mesh.vertices.minCoeff(), 0, 1e-15);
  EXPECT_NEAR(mesh.vertices.maxCoeff(), 1, 1e-15);
}

TEST(PluginMeshes, VoxelsOfASurfaceFile) {
  const testing::Folder folder;
  write_obj(folder.file("box.obj"), make_box({1, 1, 1}, {1, 1, 1}, ElementType::Hex8));
  EXPECT_EQ(generate("voxels", "{surface: " + folder.file("box.obj") + ", cell: 0.25}").num_elements(), 64);
  EXPECT_THROW(generate("voxels", "{cell: 0.25}"), Error);
  const std::string open = folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_input_error([&] { generate("voxels", "{surface: " + open + "}"); }, open, "", "the surface is open");
  const SurfaceVoxels::Options none;
  EXPECT_THROW(SurfaceVoxels(none, {}), Error);
}

TEST(PluginMeshes, PlantIsOnePieceOfTheIntendedSize) {
  const Mesh plant = generate("plant", "{}");
  EXPECT_EQ(plant.type, ElementType::Hex8);
  EXPECT_GE(plant.num_elements(), 3500);
  EXPECT_LE(plant.num_elements(), 4300);
  const std::vector<Index> component = face_components(plant);
  EXPECT_EQ(*std::max_element(component.begin(), component.end()), 0);
  EXPECT_TRUE(check_mesh(plant).empty());
  const Vec3 extent = plant.vertices.rowwise().maxCoeff() - plant.vertices.rowwise().minCoeff();
  EXPECT_NEAR(extent.x(), 1.0, 0.015);
  EXPECT_NEAR(extent.y(), 0.62, 0.015);
  EXPECT_NEAR(extent.z(), 0.884, 0.015);
  EXPECT_EQ(plant.vertices.row(2).minCoeff(), 0.0);
  // It stands on its foot: vertices on the ground are near the stem, and there are many.
  Index on_ground = 0;
  for (Index v = 0; v < plant.num_vertices(); ++v) {
    if (plant.vertices(2, v) > 0) continue;
    ++on_ground;
    EXPECT_LT(plant.vertices.col(v).norm(), 0.09);
  }
  EXPECT_GT(on_ground, 60);
}

TEST(PluginMeshes, PlantScalesWithItsHeight) {
  const Mesh one = generate("plant", "{}"),
             two = generate("plant", "{height: 1.768, cell: 0.023255813953488372}");
  EXPECT_EQ(one.elements, two.elements);
  EXPECT_NEAR((2 * one.vertices - two.vertices).cwiseAbs().maxCoeff(), 0, 1e-14);
}

TEST(PluginMeshes, PlantOfCoarseCellsIsRefused) {
  expect_input_error([&] { generate("plant", "{cell: 0.03}"); }, "", "", "too coarse");
}

TEST(PluginMeshes, VoxelSphereOfCoarseCellsIsRefused) {
  // One cube as wide as the ball has nearly twice its volume.
  expect_input_error(
      [&] { generate("voxel_sphere", "{radius: 0.1, cell: 0.2}"); }, "", "",
      "they fill 0.008 m^3, the ball 0.004189 m^3; expected cells of a quarter of the diameter");
  expect_input_error([&] { generate("voxel_sphere", "{radius: 0.1, cell: 0.21}"); }, "", "", "too coarse");
  expect_input_error([&] { generate("voxel_sphere", "{radius: 0.1, cell: 0.5}"); }, "", "",
                     "for which there are 1 x 1 x 1; expected smaller cells");
  EXPECT_EQ(generate("voxel_sphere", "{radius: 0.1, cell: 0.05}").num_elements(), 32);
}

/// No findings, every face inside shared, and the boundary closed around the same volume.
void expect_sound(const Mesh& mesh) {
  for (const MeshFinding& f : check_mesh(mesh)) ADD_FAILURE() << f.name << ": " << f.message;
  const double volume = element_measures(mesh).sum();
  EXPECT_NEAR(testing::enclosed_volume(mesh.vertices, extract_surface(mesh)), volume, 1e-12);
  EXPECT_GT(element_measures(mesh).minCoeff(), 0);
}

TEST(PluginMeshes, TorusConvergesToItsVolumeAndLiesOnItsSurface) {
  const double exact = 2 * std::numbers::pi * std::numbers::pi * 0.4 * 0.1 * 0.1;
  double previous = 0;
  for (const int refine : {1, 2, 4}) {
    const Mesh mesh =
        generate("torus", fmt::format("{{cells_across: {}, cells_around: {}}}", 4 * refine, 24 * refine));
    EXPECT_EQ(mesh.num_elements(), 16 * refine * refine * 24 * refine);
    expect_sound(mesh);
    const double error = exact - element_measures(mesh).sum();
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.3);
    }
    previous = error;
  }
  for (const char* element : {"hex8", "tet4"}) {
    const Mesh mesh = generate("torus", std::string("{element: ") + element + "}");
    expect_sound(mesh);
    const SurfaceFaces surface = extract_surface(mesh);
    EXPECT_EQ(surface.faces.cols(), 4 * 3 * 24 * (surface.nodes_per_face == 3 ? 2 : 1));
    const RingShape ring{Vec3::Zero(), Vec3::UnitZ(), 0.4, 0.1};
    for (const int node : surface.faces.reshaped())
      EXPECT_NEAR(distance(ring, mesh.vertices.col(node)), 0, 1e-15);
  }
  expect_input_error([&] { generate("torus", "{minor_radius: 0.4}"); }, "test.yaml", ":1:1",
                     "minor_radius must be less than major_radius");
  EXPECT_THROW(generate("torus", "{cells_around: 2}"), Error);
}

TEST(PluginMeshes, TubeConvergesToItsVolume) {
  const double exact = std::numbers::pi * (0.01 - 0.0064) * 0.5;
  double previous = 0;
  for (const int around : {16, 32, 64}) {
    const Mesh mesh = generate("tube", fmt::format("{{cells_around: {}, cells_along: 3}}", around));
    EXPECT_EQ(mesh.num_elements(), 2 * 3 * around);
    EXPECT_EQ(mesh.num_vertices(), 3 * 4 * around);
    expect_sound(mesh);
    const double error = exact - element_measures(mesh).sum();
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.05);
    }
    previous = error;
  }
  const Mesh tet = generate("tube", "{element: tet4, cells_around: 3, cells_along: 2}");
  expect_sound(tet);
  EXPECT_EQ(tet.num_elements(), 6 * 2 * 3 * 2);
  for (const auto& x : tet.vertices.colwise()) EXPECT_GE(x.head<2>().norm(), 0.08 - 1e-15);
  EXPECT_THROW(generate("tube", "{inner_radius: 0.2}"), Error);
}

TEST(PluginMeshes, GridIsAFlatSheetOrALayer) {
  const Mesh sheet = generate("grid", "{size: [2, 1], cells: [4, 3], origin: [1, 2, 3]}");
  EXPECT_EQ(sheet.type, ElementType::Tri3);
  EXPECT_EQ(sheet.num_vertices(), 20);
  EXPECT_EQ(sheet.num_elements(), 24);
  EXPECT_TRUE(check_mesh(sheet).empty());
  EXPECT_NEAR(element_measures(sheet).sum(), 2, 1e-15);
  EXPECT_EQ(sheet.vertices.col(0), Vec3(1, 2, 3));
  EXPECT_EQ(sheet.vertices.col(19), Vec3(3, 3, 3));
  for (const auto& t : sheet.elements.colwise()) {
    const Vec3 a = sheet.vertices.col(t[0]);
    EXPECT_GT((sheet.vertices.col(t[1]) - a).cross(sheet.vertices.col(t[2]) - a).z(), 0);
  }
  EXPECT_NE(generate("grid", "{diagonals: parallel}").elements, generate("grid", "{}").elements);
  const Mesh layer = generate("grid", "{size: [2, 1], cells: [4, 3], element: tet4, thickness: 0.1}");
  expect_sound(layer);
  EXPECT_NEAR(element_measures(layer).sum(), 0.2, 1e-15);
  EXPECT_THROW(generate("grid", "{size: [1, 2, 3]}"), Error);
  EXPECT_THROW(generate("grid", "{cells: [1]}"), Error);
  EXPECT_THROW(generate("grid", "{cells: [100000, 100000]}"), Error);
}

TEST(PluginMeshes, DistancesOfShapesAreExact) {
  const Vec3 c(1, 2, 3);
  EXPECT_DOUBLE_EQ(distance(BallShape{c, 0.5}, c + Vec3(0, 2, 0)), 1.5);
  EXPECT_DOUBLE_EQ(distance(BoxShape{c, {1, 2, 3}}, c + Vec3(4, 6, 0)), 5);
  EXPECT_DOUBLE_EQ(distance(BoxShape{c, {1, 2, 3}}, c), -1);
  EXPECT_DOUBLE_EQ(distance(CapsuleShape{c, c + Vec3(2, 0, 0), 0.5}, c + Vec3(1, 3, 0)), 2.5);
  EXPECT_DOUBLE_EQ(distance(CapsuleShape{c, c, 0.5}, c + Vec3(0, 0, 2)), 1.5);
  EXPECT_DOUBLE_EQ(distance(RingShape{c, Vec3::UnitX(), 2, 0.5}, c + Vec3(0, 0, 3)), 0.5);
  EXPECT_DOUBLE_EQ(distance(RingShape{c, Vec3::UnitX(), 2, 0.5}, c), 1.5);
  EXPECT_EQ(smooth_min(1, 2, 0), 1);
  EXPECT_EQ(smooth_min(1, 2, 1), 1);
  EXPECT_DOUBLE_EQ(smooth_min(1, 1, 0.4), 0.9);
}

TEST(PluginMeshes, UnionOfShapesHasTheirVolume) {
  // A box alone is met exactly; two that touch make one; smoothing fills the corner between them.
  const std::string one = "{box: {center: [0.5, 0.5, 0.5], size: [1, 1, 1]}}";
  const std::string two = one + ", {box: {center: [1.5, 0.25, 0.5], size: [1, 0.5, 1]}}";
  EXPECT_EQ(generate("sdf_union", "{smoothing: 0, cell: 0.125, parts: [" + one + "]}").num_elements(), 512);
  const Mesh sharp = generate("sdf_union", "{smoothing: 0, cell: 0.125, parts: [" + two + "]}");
  EXPECT_EQ(sharp.num_elements(), 512 + 256);
  expect_sound(sharp);
  EXPECT_GT(generate("sdf_union", "{smoothing: 0.5, cell: 0.125, parts: [" + two + "]}").num_elements(), 768);
  const Mesh ring =
      generate("sdf_union",
               "{cell: 0.00625, parts: [{torus: {center: [0, 0, 0], axis: [0, 3, 0], major_radius: "
               "0.2, minor_radius: 0.05}}]}");
  EXPECT_NEAR(element_measures(ring).sum() / (2 * std::numbers::pi * std::numbers::pi * 0.2 * 0.0025), 1,
              0.02);
  const Vec3 extent = ring.vertices.rowwise().maxCoeff() - ring.vertices.rowwise().minCoeff();
  EXPECT_NEAR((extent - Vec3(0.5, 0.1, 0.5)).cwiseAbs().maxCoeff(), 0, 1e-12);
  expect_sound(generate("sdf_union", "{}"));
}

TEST(PluginMeshes, UnionNamesWhatIsWrong) {
  const auto refused = [&](const std::string& yaml, const std::string& part) {
    try {
      generate("sdf_union", yaml);
      ADD_FAILURE() << yaml;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused("{parts: []}", "parts must not be empty");
  refused("{parts: [{}]}", "a part must be one of sphere, box, capsule and torus");
  const std::string ball = "sphere: {center: [0, 0, 0], radius: 1}";
  refused("{parts: [{" + ball + ", box: {center: [0, 0, 0], size: [1, 1, 1]}}]}", "a part must be one of");
  refused("{parts: [{sphere: {center: [0, 0, 0]}}]}", "missing required key 'radius'");
  refused("{parts: [{torus: {center: [0, 0, 0], axis: [0, 0, 0], major_radius: 1, minor_radius: 0.1}}]}",
          "axis must not be zero");
  refused(
      "{cell: 0.2, one_piece: false, parts: [{" + ball + "}, {sphere: {center: [3, 0, 0], radius: 0.01}}]}",
      "no cell of edge 0.2 m has its centre inside parts[1]; expected smaller cells");
  const std::string apart = "{cell: 0.2, parts: [{" + ball + "}, {sphere: {center: [5, 0, 0], radius: 1}}]";
  refused(apart + "}", "its parts do not touch: it falls into 2 pieces");
  EXPECT_GT(generate("sdf_union", apart + ", one_piece: false}").num_elements(), 100);
}

TEST(PluginMeshes, QuadrupedStandsOnFourFeetAndIsSymmetric) {
  const Mesh animal = generate("quadruped", "{}");
  expect_sound(animal);
  EXPECT_GT(animal.num_elements(), 2000);
  EXPECT_EQ(animal.vertices.row(2).minCoeff(), 0);
  // Feet: the parts of the ground that cells stand on.
  Mesh ground;
  ground.type = animal.type;
  ground.vertices = animal.vertices;
  std::vector<Index> feet;
  double moment = 0;
  const VecX volumes = element_measures(animal);
  for (Index e = 0; e < animal.num_elements(); ++e) {
    double low = 1;
    Vec3 centre = Vec3::Zero();
    for (const int node : animal.elements.col(e)) {
      low = std::min(low, animal.vertices(2, node));
      centre += animal.vertices.col(node) / 8;
    }
    if (low == 0) feet.push_back(e);
    moment += volumes[e] * centre.y();
  }
  EXPECT_NEAR(moment, 0, 1e-12);
  ground.elements.resize(8, static_cast<Index>(feet.size()));
  for (std::size_t f = 0; f < feet.size(); ++f)
    ground.elements.col(static_cast<Index>(f)) = animal.elements.col(feet[f]);
  const std::vector<Index> component = face_components(ground);
  EXPECT_EQ(*std::max_element(component.begin(), component.end()), 3);
  EXPECT_GT(generate("quadruped", "{leg_length: 0.5}").vertices.row(2).maxCoeff(),
            animal.vertices.row(2).maxCoeff() + 0.15);
}

TEST(PluginMeshes, QuadrupedRefusesWhatItCannotShape) {
  expect_input_error(
      [&] { generate("quadruped", "{cell: 0.09, tail_radius: 0.02, smoothing: 0}"); }, "", "",
      "too coarse for the animal, whose thinnest part has a radius of 0.02 m; expected cells of 0.02309 m");
  EXPECT_THROW(generate("quadruped", "{body_length: 0.1}"), Error);
  EXPECT_THROW(generate("quadruped", "{leg_length: 0.1}"), Error);
}

}  // namespace
}  // namespace resilin::meshes

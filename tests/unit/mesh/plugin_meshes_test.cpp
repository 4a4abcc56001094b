// The generators of plugins/meshes. A plugin is loaded at run time and cannot be linked to, so the sources
// are compiled into this file.
#include "core/mesh/io.hpp"
#include "core/mesh/quality.hpp"
#include "plugins/meshes/box.cpp"
#include "plugins/meshes/cylinder.cpp"
#include "plugins/meshes/plant.cpp"
#include "plugins/meshes/sphere.cpp"
#include "plugins/meshes/surface_voxels.cpp"
#include "plugins/meshes/voxel_sphere.cpp"
#include "tests/unit/mesh/mesh_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

}  // namespace
}  // namespace resilin::meshes

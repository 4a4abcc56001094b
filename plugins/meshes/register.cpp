#include "core/plugin/plugin.hpp"
#include "plugins/meshes/box.hpp"
#include "plugins/meshes/cylinder.hpp"
#include "plugins/meshes/plant.hpp"
#include "plugins/meshes/sphere.hpp"
#include "plugins/meshes/surface_voxels.hpp"
#include "plugins/meshes/voxel_sphere.hpp"

RESILIN_PLUGIN("meshes", "0.1.0", registry) {
  using namespace resilin::meshes;
  using resilin::MeshGenerator;
  registry.add<MeshGenerator, Box>("box", "a box of equal cells");
  registry.add<MeshGenerator, Sphere>("sphere",
                                      "a ball: a grid mapped smoothly, boundary vertices on the sphere");
  registry.add<MeshGenerator, Cylinder>("cylinder", "a cylinder along z, boundary vertices on its surface");
  registry.add<MeshGenerator, VoxelSphere>("voxel_sphere", "a ball of equal cubes");
  registry.add<MeshGenerator, SurfaceVoxels>("voxels",
                                             "the inside of a closed surface from a file, as equal cubes");
  registry.add<MeshGenerator, Plant>("plant",
                                     "a plant of equal cubes: foot, stem, curved branches, flat leaves");
}

#include "core/plugin/plugin.hpp"
#include "plugins/meshes/box.hpp"
#include "plugins/meshes/cone.hpp"
#include "plugins/meshes/cylinder.hpp"
#include "plugins/meshes/hat.hpp"
#include "plugins/meshes/plant.hpp"
#include "plugins/meshes/polyline.hpp"
#include "plugins/meshes/quadruped.hpp"
#include "plugins/meshes/shape_union.hpp"
#include "plugins/meshes/sheet.hpp"
#include "plugins/meshes/shirt.hpp"
#include "plugins/meshes/sock.hpp"
#include "plugins/meshes/sphere.hpp"
#include "plugins/meshes/surface_voxels.hpp"
#include "plugins/meshes/torus.hpp"
#include "plugins/meshes/tube.hpp"
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
  registry.add<MeshGenerator, Torus>("torus", "a solid ring about z, boundary vertices on its surface");
  registry.add<MeshGenerator, Tube>("tube", "a hollow cylinder along z, boundary vertices on its surfaces");
  registry.add<MeshGenerator, Sheet>("grid", "a flat sheet of triangles, or one layer of solid elements");
  registry.add<MeshGenerator, Polyline>("polyline", "a curve of segments through given points");
  registry.add<MeshGenerator, ShapeUnion>(
      "sdf_union", "the smooth union of balls, boxes, capsules and rings, as equal cubes");
  registry.add<MeshGenerator, Quadruped>("quadruped",
                                         "an animal of equal cubes: body, four legs, neck, head and tail");
  registry.add<MeshGenerator, Cone>("cone", "cloth: an open cone frustum along z, a skirt or a simple dress");
  registry.add<MeshGenerator, Hat>("hat", "cloth: a half sphere with a brim");
  registry.add<MeshGenerator, Sock>("sock", "cloth: an L-shaped tube with one closed end");
  registry.add<MeshGenerator, Shirt>("shirt", "cloth: two panels sewn to a T-shirt with sleeves");
}

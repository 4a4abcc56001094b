#include "core/plugin/plugin.hpp"
#include "plugins/colliders/arc.hpp"
#include "plugins/colliders/bowl.hpp"
#include "plugins/colliders/box.hpp"
#include "plugins/colliders/capsule.hpp"
#include "plugins/colliders/cylinder.hpp"
#include "plugins/colliders/height_field.hpp"
#include "plugins/colliders/plane.hpp"
#include "plugins/colliders/sphere.hpp"
#include "plugins/colliders/triangle_mesh.hpp"

RESILIN_PLUGIN("colliders", "0.1.0", registry) {
  using namespace resilin;
  registry.add<Collider, Slide>("arc", "Circular arc drawn out to a slide, thick and with rounded ends");
  registry.add<Collider, Bowl>("bowl", "Spherical cap, thick and with a rounded rim, open along its axis");
  registry.add<Collider, Block>("box", "Box with sharp or rounded edges");
  registry.add<Collider, Capsule>("capsule", "Segment thickened by a radius");
  registry.add<Collider, Rod>("cylinder", "Cylinder with flat ends");
  registry.add<Collider, HeightField>("height_field", "Ground of continuous slope through heights on a grid");
  registry.add<Collider, Plane>("plane", "Half-space below a plane");
  registry.add<Collider, Ball>("sphere", "Ball, or a hollow one as a container");
  registry.add<Collider, TriangleMesh>("triangle_mesh", "Solid enclosed by a triangle surface from a file");
}

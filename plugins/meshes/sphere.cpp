#include "plugins/meshes/sphere.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

namespace resilin::meshes {

void Sphere::Options::visit(ParamVisitor& v) {
  v.real("radius", radius,
         {.doc = "radius of the ball, whose centre is the origin", .unit = "m", .min = 0, .open = true});
  v.integer("cells", cells, {.doc = "number of cells across the ball, along each axis", .min = 1});
  visit_element(v, element);
}

Mesh Sphere::generate() const {
  return make_sphere(options_.radius, options_.cells, element_type(options_.element));
}

}  // namespace resilin::meshes

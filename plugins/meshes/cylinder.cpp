#include "plugins/meshes/cylinder.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

namespace resilin::meshes {

void Cylinder::Options::visit(ParamVisitor& v) {
  v.real("radius", radius, {.doc = "radius about the z axis", .unit = "m", .min = 0, .open = true});
  v.real("height", height, {.doc = "length along z, from z = 0", .unit = "m", .min = 0, .open = true});
  v.integer("cells_across", cells_across,
            {.doc = "number of cells across the disk, along x and y", .min = 1});
  v.integer("cells_along", cells_along, {.doc = "number of cells along z", .min = 1});
  visit_element(v, element);
}

Mesh Cylinder::generate() const {
  return make_cylinder(options_.radius, options_.height, options_.cells_across, options_.cells_along,
                       element_type(options_.element));
}

}  // namespace resilin::meshes

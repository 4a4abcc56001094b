#include "plugins/meshes/box.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

namespace resilin::meshes {

void Box::Options::visit(ParamVisitor& v) {
  v.vec3("size", size, {.doc = "edge lengths", .unit = "m", .min = 0, .open = true});
  v.integers("cells", cells, {.doc = "number of cells along x, y and z", .min = 1});
  v.vec3("origin", origin, {.doc = "lower corner", .unit = "m"});
  visit_element(v, element);
  v.check(cells.size() == 3, "cells must have three entries");
}

Box::Box(const Options& options, const BuildContext& context) : options_(options) {
  if (options.cells.size() != 3) throw context.input_error("cells", "expected three numbers of cells");
}

Mesh Box::generate() const {
  return make_box(options_.size, {options_.cells[0], options_.cells[1], options_.cells[2]},
                  element_type(options_.element), options_.origin);
}

}  // namespace resilin::meshes

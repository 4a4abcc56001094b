#include "plugins/meshes/sheet.hpp"

#include "core/mesh/generators.hpp"
#include "plugins/meshes/element_choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace resilin::meshes {

void Sheet::Options::visit(ParamVisitor& v) {
  v.numbers("size", size, {.doc = "edge lengths along x and y", .unit = "m", .min = 0, .open = true});
  v.integers("cells", cells, {.doc = "number of cells along x and y", .min = 1});
  v.vec3("origin", origin, {.doc = "lower corner", .unit = "m"});
  v.choice("element", element, {"tri3", "hex8", "tet4"},
           {.doc = "element type: triangles, two for a cell, or a layer of hexahedra or tetrahedra"});
  v.choice("diagonals", diagonals, {"alternating", "parallel"},
           {.doc = "how tri3 cells are cut in two: alternating treats the directions more alike"});
  v.real("thickness", thickness,
         {.doc = "height of the layer of hex8 or tet4 elements; of no meaning for tri3",
          .unit = "m",
          .min = 0,
          .open = true});
  v.check(size.size() == 2, "size must have two entries");
  v.check(cells.size() == 2, "cells must have two entries");
}

Sheet::Sheet(const Options& options, const BuildContext& context) : options_(options) {
  if (options.size.size() != 2) throw context.input_error("size", "expected two lengths");
  if (options.cells.size() != 2) throw context.input_error("cells", "expected two numbers of cells");
}

/// Vertices are numbered with ix slowest, as those of solid grids; normals point along z.
Mesh Sheet::triangles() const {
  const Index nx = options_.cells[0], ny = options_.cells[1];
  if ((static_cast<double>(nx) + 1) * (static_cast<double>(ny) + 1) > std::numeric_limits<int>::max() / 8.0)
    throw Error(Errc::Input, fmt::format("a sheet of {} x {} cells is too large", nx, ny));
  Mesh mesh;
  mesh.type = ElementType::Tri3;
  mesh.vertices.resize(3, (nx + 1) * (ny + 1));
  for (Index i = 0; i <= nx; ++i)
    for (Index j = 0; j <= ny; ++j)
      mesh.vertices.col(i * (ny + 1) + j) =
          options_.origin + Vec3(options_.size[0] * (static_cast<double>(i) / static_cast<double>(nx)),
                                 options_.size[1] * (static_cast<double>(j) / static_cast<double>(ny)), 0);
  mesh.elements.resize(3, 2 * nx * ny);
  for (Index i = 0; i < nx; ++i)
    for (Index j = 0; j < ny; ++j) {
      const int a = static_cast<int>(i * (ny + 1) + j), b = static_cast<int>((i + 1) * (ny + 1) + j);
      const int c = b + 1, d = a + 1;  // a b c d: counter-clockwise seen from above
      const Index t = 2 * (i * ny + j);
      if (options_.diagonals == "parallel" || (i + j) % 2 == 0) {
        mesh.elements.col(t) << a, b, c;
        mesh.elements.col(t + 1) << a, c, d;
      } else {
        mesh.elements.col(t) << a, b, d;
        mesh.elements.col(t + 1) << b, c, d;
      }
    }
  return mesh;
}

Mesh Sheet::generate() const {
  if (options_.element == "tri3") return triangles();
  return make_box({options_.size[0], options_.size[1], options_.thickness},
                  {options_.cells[0], options_.cells[1], 1}, element_type(options_.element), options_.origin);
}

}  // namespace resilin::meshes

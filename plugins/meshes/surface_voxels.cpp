#include "plugins/meshes/surface_voxels.hpp"

#include "core/mesh/generators.hpp"
#include "core/mesh/io.hpp"
#include "plugins/meshes/element_choice.hpp"

namespace resilin::meshes {

void SurfaceVoxels::Options::visit(ParamVisitor& v) {
  v.path("surface", surface,
         {.doc = "file of a closed triangle surface (.stl, .ply, .obj, .off, .vtk, .vtu, .msh, .mesh), "
                 "oriented outwards",
          .required = true});
  v.real("cell", cell, {.doc = "edge of a cell", .unit = "m", .min = 0, .open = true});
  visit_element(v, element);
}

SurfaceVoxels::SurfaceVoxels(const Options& options, const BuildContext& context) : options_(options) {
  if (options.surface.empty()) throw context.input_error("surface", "expected the file of a closed surface");
}

Mesh SurfaceVoxels::generate() const {
  const Mesh surface = read_mesh(options_.surface);
  try {
    return voxelize(surface, options_.cell, element_type(options_.element));
  } catch (const Error& error) {  // says which file it is about
    throw Error(error.code(), error.message(), options_.surface);
  }
}

}  // namespace resilin::meshes
